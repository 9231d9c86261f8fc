import * as z from "zod";
import { key, maybe, notBlank, withDefault } from "./params.ts";

const memoryScopes = ["user", "channel", "everyone"] as const;

const scope = z.enum(memoryScopes, { error: `must be one of ${memoryScopes.join(", ")}` });
const person = z.string().min(1).max(400);
const channel = z
	.string()
	.regex(/^[^\s:]+:[^\s:]+:[^\s:]+$/u, "must be PLATFORM:TENANT:CHANNEL")
	.max(400);

/** A note about a person or channel, or a shared note with the scope `everyone`. */
export const MemoryPayload = z.object({
	memory_id: z.string(),
	scope,
	/** Person for scope `user`, and channel for scope `channel`. Absent for scope `everyone`. */
	subject: z.exactOptional(z.string()),
	content: z.string(),
	tags: z.array(z.string()),
	/** Person or principal whose run or request wrote the note. */
	author: z.string(),
	/** Session of the run that wrote the note. The session may be deleted. Absent if a person wrote the note. */
	session_id: z.exactOptional(z.string()),
	/** Taint of the run or request that wrote the note: letters U, P and E, or "". */
	taint: z.string(),
	created_at: z.string(),
});
export type MemoryPayload = z.output<typeof MemoryPayload>;

const listed = {
	scope: maybe(scope),
	/** Returns only notes about this person and notes that the person wrote. `me` means the caller. */
	person: maybe(person),
	limit: withDefault(z.int().min(1).max(1_000), 50),
};

const list = z.object({ memories: z.array(MemoryPayload) });

export const memoryMethods = {
	/** Stores a note of the caller. Only the operator stores notes of scope `everyone`. */
	store_memory: {
		params: z.object({
			scope: maybe(scope),
			content: z.string().max(8_000).regex(notBlank, "blank"),
			tags: maybe(z.array(z.string().max(200)).max(32)),
			key,
		}),
		result: MemoryPayload,
	},
	/** Returns the notes that contain words of the query, most relevant first. */
	query_memories: {
		params: z.object({ query: z.string().max(2_000).regex(notBlank, "blank"), ...listed }),
		result: list,
	},
	/** Returns the notes that the caller can read, newest first. The operator can read all notes. */
	list_memories: { params: z.object(listed), result: list },
	/** Deletes a note, all notes about or by a person, or all notes of a channel. */
	forget_memory: {
		params: z.object({
			memory_id: maybe(z.string().min(1).max(128)),
			/** Person by or about whom all notes are deleted. `me` means the caller. */
			person: maybe(person),
			/** Channel whose notes are deleted. A connector sends it when the channel is deleted on the platform. */
			channel: maybe(channel),
			key,
		}),
		result: z.object({ status: z.literal("forgotten"), forgotten: z.int().min(0) }),
	},
};
