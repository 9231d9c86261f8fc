import * as z from "zod";
import { key, maybe, notBlank, withDefault } from "./params.ts";

const memoryScopes = ["user", "channel", "everyone"] as const;

const scope = z.enum(memoryScopes, { error: `must be one of ${memoryScopes.join(", ")}` });
const person = z.string().min(1).max(400);
const channel = z
	.string()
	.regex(/^[^\s:]+:[^\s:]+:[^\s:]+$/u, "must be PLATFORM:TENANT:CHANNEL")
	.max(400);

/** A note about a person, about a channel, or with the scope `everyone`. */
export const MemoryPayload = z.object({
	memory_id: z.string(),
	scope,
	/** The person of scope `user`, the channel of scope `channel`; absent for scope `everyone`. */
	subject: z.exactOptional(z.string()),
	content: z.string(),
	tags: z.array(z.string()),
	/** The person or principal whose run or request wrote it. */
	author: z.string(),
	/** The session of the run that wrote it, which may be deleted; absent if a person wrote it. */
	session_id: z.exactOptional(z.string()),
	/** Taint of the run that wrote the note: letters U, P and E, or "". */
	taint: z.string(),
	created_at: z.string(),
});
export type MemoryPayload = z.output<typeof MemoryPayload>;

const listed = {
	scope: maybe(scope),
	/** Only notes about this person and notes that they wrote; `me` for the caller. */
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
	/** Returns the notes that contain words of the query, the most relevant first. */
	query_memories: {
		params: z.object({ query: z.string().max(2_000).regex(notBlank, "blank"), ...listed }),
		result: list,
	},
	/** Returns the notes that the caller can read, the newest first. The operator can read all. */
	list_memories: { params: z.object(listed), result: list },
	/** Deletes a note, or all notes about a person and all that they wrote, or all notes of a channel. */
	forget_memory: {
		params: z.object({
			memory_id: maybe(z.string().min(1).max(128)),
			/** `me` for the caller. */
			person: maybe(person),
			/** All notes of this channel, which its connector deletes together with the channel. */
			channel: maybe(channel),
			key,
		}),
		result: z.object({ status: z.literal("forgotten"), forgotten: z.int().min(0) }),
	},
};
