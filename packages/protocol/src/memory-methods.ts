import * as z from "zod";
import { key, maybe, notBlank, withDefault } from "./params.ts";

const memoryScopes = ["user", "channel", "everyone"] as const;

const scope = z.enum(memoryScopes, { error: `must be one of ${memoryScopes.join(", ")}` });
const person = z.string().min(1).max(400);
const channel = z
	.string()
	.regex(/^[^\s:]+:[^\s:]+:[^\s:]+$/u, "must be PLATFORM:TENANT:CHANNEL")
	.max(400);

/** A note: about a person (scope `user`), about a channel (scope `channel`), or shared by all (scope `everyone`). */
export const MemoryPayload = z.object({
	memory_id: z.string(),
	scope,
	/** Person or channel that the note is about. Absent for scope `everyone`. */
	subject: z.exactOptional(z.string()),
	content: z.string(),
	tags: z.array(z.string()),
	/** Person or principal that wrote the note, through a run or a request. */
	author: z.string(),
	/** Session in which a run wrote the note. The session may have been deleted. Absent if a client stored the note. */
	session_id: z.exactOptional(z.string()),
	/** Taint of the run or request that wrote the note: letters U, P and E, or "". */
	taint: z.string(),
	created_at: z.string(),
});
export type MemoryPayload = z.output<typeof MemoryPayload>;

const listed = {
	scope: maybe(scope),
	/** Returns only notes about the person `person` and notes that this person wrote. `me` means the caller. */
	person: maybe(person),
	limit: withDefault(z.int().min(1).max(1_000), 50),
};

const list = z.object({ memories: z.array(MemoryPayload) });

export const memoryMethods = {
	/** Stores a note of the caller. Only the operator stores notes of scope `everyone`. */
	store_memory: {
		params: z.object({
			scope: maybe(scope),
			content: z.string().max(8_000).regex(notBlank, "must not be blank"),
			tags: maybe(z.array(z.string().max(200)).max(32)),
			key,
		}),
		result: MemoryPayload,
	},
	/** Returns notes that contain words from the query, most relevant first. */
	query_memories: {
		params: z.object({ query: z.string().max(2_000).regex(notBlank, "must not be blank"), ...listed }),
		result: list,
	},
	/** Returns notes that the caller can read, newest first. The operator can read all notes. */
	list_memories: { params: z.object(listed), result: list },
	/** Deletes one note, all notes that a person wrote or is the subject of, or all notes about a channel. */
	forget_memory: {
		params: z.object({
			memory_id: maybe(z.string().min(1).max(128)),
			/** Person. All notes by the person and about the person are deleted. `me` means the caller. */
			person: maybe(person),
			/**
			 * Channel. All notes about the channel are deleted. A connector sends `channel` when the channel is deleted on
			 * the platform.
			 */
			channel: maybe(channel),
			key,
		}),
		result: z.object({ status: z.literal("forgotten"), forgotten: z.int().min(0) }),
	},
};
