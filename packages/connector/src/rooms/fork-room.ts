import { type Clock, defined, type ErrorCode, type Logger, ParleyError, type Store } from "@parley/base";
import type { MethodResult, Requester } from "@parley/protocol";
import { oneLine, plainLine } from "../conversation/vocabulary/plain.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import { eventCursor } from "../store/retention.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { conversationTexts } from "../texts/conversations.ts";
import type { Choices } from "./choices.ts";
import { type FirstPost, postFirst, removeFirst } from "./first-post.ts";
import { onBehalf } from "./on-behalf.ts";

interface ForkRooms {
	requireRight(person: Person, room: Room, right: "session.fork"): Promise<void>;
	keyOf(person: Person, room: Room): Promise<string>;
	nextKey(person: Person, room: Room, key: string): Promise<string>;
	openFork(
		person: Person,
		room: Room,
		fork: { readonly externalKey: string; readonly key: string; readonly turns: boolean },
	): Promise<unknown>;
}

interface ForkParts {
	readonly store: Store<ConnectorTables>;
	readonly gateway: Requester;
	readonly rooms: ForkRooms;
	readonly outbox: Outbox;
	readonly platform: ChatPlatform;
	readonly clock: Clock;
	readonly log: Logger;
	/** Signal that aborts when the connector stops. */
	readonly signal: AbortSignal;
}

/** A request of a person to copy a conversation. */
export interface ForkOptions {
	readonly session: string;
	/** Title of the conversation; may be empty. */
	readonly title: string;
	/** Number of the last user message that the copy contains: see `fork_session`. */
	readonly at?: number;
	/** Idempotency key of the request. */
	readonly key: string;
}

/**
 * A copy of a conversation, with its thread if it has one. A copy without a thread is the current conversation of the
 * room.
 */
export interface ForkedRoom {
	readonly title: string;
	/** Number of the last user message that the copy contains. */
	readonly at: number;
	readonly thread?: Room;
}

/** Codes of errors after which the first post stays, because a retry continues with this post. */
const retried: ReadonlySet<ErrorCode> = new Set([
	"unavailable" as const,
	"deadline_exceeded" as const,
	"aborted" as const,
	"cancelled" as const,
	"unauthenticated" as const,
	"internal" as const,
]);

/**
 * Copies a conversation. The copy continues in a new thread of the channel, or in the room itself if a thread
 * cannot be opened. After a crash, a retry continues with the same post and the same copy. If the gateway refuses
 * the copy, removes the post and rejects with the refusal. Rejects with `unavailable` while the platform does not
 * post.
 */
export async function forkRoom(
	parts: ForkParts & { readonly choices: { readonly stored: Choices["stored"] } },
	{ person, room }: { readonly person: Person; readonly room: Room },
	requested: ForkOptions,
): Promise<ForkedRoom> {
	const { rooms, choices } = parts;
	await rooms.requireRight(person, room, "session.fork");
	const thread = await openThread(parts, room, requested);
	const { key } = requested;
	const there = thread ?? room;
	const choose = () => (thread ? rooms.keyOf(person, thread) : rooms.nextKey(person, room, key));
	const place = thread ? "thread" : "room";
	const externalKey = (await choices.stored(`${key}/${place}`, choose)) ?? (await choose());
	const fork = await forkSession(parts, { person, room }, { requested, externalKey }).catch(
		async (reason: unknown) => {
			if (thread && !retried.has(ParleyError.from(reason).code))
				await removeFirst(parts, firstPostOf(room, key));
			throw reason;
		},
	);
	await rooms.openFork(person, there, { externalKey, key, turns: thread === undefined });
	return { title: fork.title, at: fork.at, ...defined({ thread }) };
}

function forkSession(
	{ gateway }: ForkParts,
	{ person, room }: { readonly person: Person; readonly room: Room },
	{ requested, externalKey }: { readonly requested: ForkOptions; readonly externalKey: string },
): Promise<MethodResult<"fork_session">> {
	const { session: session_id, at, key } = requested;
	const params = { session_id, external_key: externalKey, key: `${key}/fork`, ...defined({ at }) };
	return gateway.request("fork_session", { ...params, ...onBehalf(person, room) });
}

/**
 * Opens a thread of the channel for the copy, and resolves with its room. Resolves with undefined if the room can
 * have no thread, or if the platform refuses the post or the thread.
 */
async function openThread(parts: ForkParts, room: Room, requested: ForkOptions): Promise<Room | undefined> {
	const { platform, log } = parts;
	const { thread: _thread, ...channel } = room;
	if (room.kind === "direct" || platform.hasThreads?.(channel) === false) return undefined;
	if ((await platform.mayFork?.(room)) === false) return undefined;
	const { key, title } = requested;
	const shown = title === "" ? conversationTexts.untitled : plainLine(title, 100);
	const text = conversationTexts.fork.beginning({ title: shown });
	const message = await postFirst(parts, { ...firstPostOf(channel, key), text });
	if (message === undefined) return undefined;
	const name = oneLine(title, platform.limits.threadName) || conversationTexts.thread;
	const { refused } = (await platform.openThread?.(channel, { message, name })) ?? {};
	if (refused === undefined) return { ...channel, thread: message };
	log.warn(refused, { channel: room.channel });
	await removeFirst(parts, firstPostOf(channel, key));
	return undefined;
}

function firstPostOf({ thread: _thread, ...channel }: Room, key: string): Omit<FirstPost, "text"> {
	return { channel, card: `fork:${key}`, cursor: `${eventCursor}${key}/fork` };
}
