import {
	type Clock,
	defined,
	delay,
	type ErrorCode,
	type Logger,
	ParleyError,
	type Store,
} from "@parley/base";
import type { MethodResult, Requester } from "@parley/protocol";
import { toRows } from "../conversation/to-rows.ts";
import { oneLine, plain } from "../conversation/vocabulary/plain.ts";
import type { RenderOperation } from "../conversation/vocabulary/render-operation.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import { eventCursor } from "../store/retention.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { conversationTexts } from "../texts/conversations.ts";
import type { Choices } from "./choices.ts";
import { onBehalf } from "./on-behalf.ts";

/** The part of `Rooms` for copies. */
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
	/** Aborts when the connector stops. */
	readonly signal: AbortSignal;
}

/** A conversation whose copy a person wants. */
export interface ForkOptions {
	readonly session: string;
	/** Title of the conversation; "" without one. */
	readonly title: string;
	/** See `fork_session`. */
	readonly at?: number;
	/** Idempotency key of the request. */
	readonly key: string;
}

/** The copy, and its thread if it has one. Otherwise it is the current conversation of the room. */
export interface ForkedRoom {
	readonly title: string;
	/** Number of the last message that it has. */
	readonly at: number;
	readonly thread?: Room;
}

/** Milliseconds between the looks for the post that begins the thread, and their number. */
const lookMs = 100;
const looks = 30;

/** Errors after which the request is repeated with the same post. */
const retried: ReadonlySet<ErrorCode> = new Set([
	"unavailable" as const,
	"deadline_exceeded" as const,
	"aborted" as const,
	"cancelled" as const,
	"unauthenticated" as const,
	"internal" as const,
]);

/**
 * Continues a copy of a conversation in a new thread of its channel, or in the room itself without one.
 * A repetition after a crash continues with the same post and the same copy. Rejects with the gateway's refusal, which removes
 * the post, and with `unavailable` while the platform does not post.
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
			if (thread && !retried.has(ParleyError.from(reason).code)) await removePost(parts, room, key);
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

/** Posts the beginning of the thread in the channel, and opens the thread. Undefined if there can be none. */
async function openThread(parts: ForkParts, room: Room, requested: ForkOptions): Promise<Room | undefined> {
	const { platform, log } = parts;
	const { thread: _thread, ...channel } = room;
	if (room.kind === "direct" || platform.hasThreads?.(channel) === false) return undefined;
	if ((await platform.mayFork?.(room)) === false) return undefined;
	const { key, title } = requested;
	const message = await beginningOf(parts, channel, requested);
	if (message === undefined) return undefined;
	const name = oneLine(title, platform.limits.threadName) || conversationTexts.thread;
	const { refused } = (await platform.openThread?.(channel, { message, name })) ?? {};
	if (refused === undefined) return { ...channel, thread: message };
	log.warn(refused, { channel: room.channel });
	await removePost(parts, channel, key);
	return undefined;
}

/** Id of the post that begins the thread, which is posted once. Undefined if the platform refused the post or its thread. */
async function beginningOf(
	parts: ForkParts,
	channel: Room,
	{ key, title }: ForkOptions,
): Promise<string | undefined> {
	const { outbox, clock, signal } = parts;
	const planned = await outbox.cursor(cursorOf(key));
	if (planned > 1) return undefined;
	const card = cardOf(key);
	const name = title === "" ? conversationTexts.untitled : plain(title, 100);
	const text = conversationTexts.fork.beginning({ title: name });
	if (planned === 0) {
		await plan(parts, channel, { key, seq: 1, operation: { type: "show", lane: "milestone", card, text } });
	}
	for (let look = 0; look < looks; look++) {
		const message = await outbox.posted(card);
		if (message !== undefined) return message;
		if (await isRefused(parts, card)) {
			await removePost(parts, channel, key);
			return undefined;
		}
		await delay(clock, lookMs, signal);
	}
	throw new ParleyError("the platform has not posted the beginning of a thread yet", { code: "unavailable" });
}

/** Whether the post of a card is given up, or waits for a decision of the operator. */
async function isRefused({ store }: ForkParts, card: string): Promise<boolean> {
	const row = await store.read((db) =>
		db
			.selectFrom("outbox")
			.select("id")
			.where("card", "=", card)
			.where("state", "in", ["dead", "held"])
			.executeTakeFirst(),
	);
	return row !== undefined;
}

function removePost(parts: ForkParts, { thread: _thread, ...channel }: Room, key: string): Promise<void> {
	return plan(parts, channel, {
		key,
		seq: 2,
		operation: { type: "delete", lane: "milestone", card: cardOf(key) },
	});
}

async function plan(
	{ outbox, platform, clock }: ForkParts,
	channel: Room,
	{
		key,
		seq,
		operation,
	}: { readonly key: string; readonly seq: number; readonly operation: RenderOperation },
): Promise<void> {
	const conversation = platform.conversation(channel);
	const rows = toRows([operation], { time: { seq, at: clock.now() }, conversation, platform });
	await outbox.plan({ conversation, cursor: { session: cursorOf(key), seq }, rows });
}

function cursorOf(key: string): string {
	return `${eventCursor}${key}/fork`;
}

function cardOf(key: string): string {
	return `fork:${key}`;
}
