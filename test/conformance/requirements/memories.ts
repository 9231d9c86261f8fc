import { ozzie, type Requirement } from "../requirement.ts";

export const memoryRequirements = {
	"memory.store": ozzie(
		"our own: Memories",
		"`store_memory` stores a note for the caller, their channel or, by the operator, the scope `everyone`, with its author and taint.",
	),
	"memory.query": ozzie(
		"our own: Memories",
		"`query_memories` finds notes by words of all scripts, with punctuation and quotes. `list_memories` returns the newest first.",
	),
	"memory.scope": ozzie(
		"our own: Memories",
		"A person reads only the notes about them, of their channel and of the scope `everyone`. The operator reads all.",
	),
	"memory.forget": ozzie(
		"our own: Memories",
		"`forget_memory` deletes one note of the caller, or with `person` all notes about a person and by them. `remove_person` deletes the notes about them.",
	),
	"memory.tools": ozzie(
		"our own: Memories",
		"The agent's tools have the rights of the author of the message. In a chat only the operator approves a note of the scope `everyone`, and clients do not see notes about a person.",
	),
	"memory.invalid": ozzie(
		"our own: Memories",
		"An invalid note, scope, limit or id is refused with the field and the allowed values.",
	),
} satisfies Record<string, Requirement>;
