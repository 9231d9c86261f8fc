import { ParleyError, type Timer } from "@parley/base";
import * as z from "zod";
import { RemovedGuild } from "../intake/wire.ts";
import type { DiscordDispatch } from "../vocabulary/discord-port.ts";
import {
	DirectMessages,
	type DirectMessagesParts,
	type ReadPosition,
	unreadChannels,
} from "./direct-messages.ts";
import type { ReceivedEvent } from "./event-receiver.ts";
import type { Cursor, HighWater } from "./high-water.ts";
import { MissedMessages } from "./missed-messages.ts";

export interface CatchUpParts extends DirectMessagesParts {
	readonly highWater: HighWater;
	/**
	 * `since`: messages that may have been missed have a higher id than this one. Undefined if no time is stored;
	 * see `LastAlive`.
	 */
	readonly alive: { readonly since: string | undefined };
	/**
	 * Makes an event durable. Resolves when the event is durable or ignored. Must keep the order of events within each
	 * channel.
	 */
	readonly receive: (event: ReceivedEvent) => Promise<void>;
}

/** A channel that is being read. `events` wait for the end of the reading. */
interface ReadingChannel {
	readonly cursor: Cursor;
	readonly events: { readonly event: DiscordDispatch; readonly received: PromiseWithResolvers<void> }[];
	/** Whether this reading was replaced by another reading of the same channel. */
	isDisplaced?: true;
}

type Reading = readonly [channel: string, state: ReadingChannel];

/** Maximum number of channels to read concurrently. */
const parallel = 4;

/**
 * Maximum number of events that wait in one channel. If there are more, all waiting events of the channel are
 * passed on before the reading ends.
 */
const maxDelayed = 500;

/** Maximum number of channels without a cursor that are read in a guild. */
const maxUnknown = 100;

/** Delay before the first retry in milliseconds. The delay doubles after each failure, up to `maxRetryMs`. */
const firstRetryMs = 60_000;
const maxRetryMs = 3_600_000;

const OfChannel = z.object({ channel_id: z.string() });
const OfGuild = z.object({ id: z.string() });
const Ready = z.object({ guilds: z.array(OfGuild) });

/**
 * Passes the events of Discord to `receive`. In a new session, first reads messages that may have been missed:
 * - in channels, threads and direct messages that have a cursor
 * - in other channels and threads that have messages after `alive.since`
 * - in direct messages with known people
 *
 * Message events wait while their channel is read, up to a maximum number. Failed readings are retried.
 */
export class CatchUp {
	readonly #parts: CatchUpParts;
	readonly #reading = new Map<string, ReadingChannel>();
	/** Ids of guilds in READY. The GUILD_CREATE event of these guilds has not been handled yet. */
	#expected = new Set<string>();
	readonly #direct: DirectMessages;
	readonly #stopping = new AbortController();
	#work: Promise<void> = Promise.resolve();
	#again: Timer | undefined;
	#failures = 0;

	constructor(parts: CatchUpParts) {
		this.#parts = parts;
		this.#direct = new DirectMessages(parts);
	}

	/**
	 * Whether all registered readings have ended, no check of direct messages is pending, and no GUILD_CREATE is
	 * expected.
	 */
	get isDone(): boolean {
		return this.#reading.size === 0 && this.#expected.size === 0 && this.#direct.isSeen;
	}

	/**
	 * Handles an event. Resolves when the event is durable or ignored. For READY and GUILD_CREATE, missed messages
	 * must also be durable or recorded as unread. READY and GUILD_CREATE reject if reading is stopped, and READY
	 * also rejects if another session starts. An event that waits for a stopped reading never settles.
	 */
	dispatch(event: DiscordDispatch): Promise<void> {
		if (event.t === "READY") return this.#ready(event);
		if (event.t === "GUILD_CREATE") return this.#guild(event);
		if (event.t === "GUILD_DELETE") this.#guildRemoved(event);
		const channel = event.t.startsWith("MESSAGE_")
			? OfChannel.safeParse(event.d).data?.channel_id
			: undefined;
		const reading = channel === undefined ? undefined : this.#reading.get(channel);
		if (channel === undefined || reading === undefined) return this.#parts.receive(event);
		const received = Promise.withResolvers<void>();
		reading.events.push({ event, received });
		if (reading.events.length > maxDelayed) {
			// The events are passed on without waiting. Earlier messages are recorded as unread.
			void this.#parts.highWater.addPending(channel, reading.cursor);
			this.#release(channel, reading);
		}
		return received.promise;
	}

	/**
	 * Starts to read missed messages. Call it before the first event of a new session, so that message events
	 * wait.
	 */
	begin(): void {
		// Readings in progress start again, because they may have read a channel before the last session ended.
		const reading = [...this.#reading].map(([channel, { cursor }]) => [channel, cursor] as const);
		const known = new Map([...this.#parts.highWater.cursors, ...reading]);
		const positions = [...known].map((place) => this.#put(place));
		const { since } = this.#parts.alive;
		if (since !== undefined) this.#direct.miss(since, known);
		void this.#add(async () => {
			await this.#readAll(positions);
			await this.#readDirect();
		});
	}

	/** Handles a resumed session, in which Discord sends all missed events. Reads only messages that could not be read earlier. */
	resumed(): void {
		if (this.#parts.highWater.behind.length > 0) void this.#add(() => this.#readUnread());
	}

	/**
	 * Reads channels, except channels that are already being read from the same message or an earlier one. Resolves
	 * when the new readings have ended. Rejects if the readings are stopped.
	 */
	async read(places: readonly ReadPosition[]): Promise<void> {
		const reading = this.#begin(places);
		if (reading.length === 0) return;
		await this.#add(() => this.#readAll(reading));
		while (reading.some(([channel]) => this.#reading.has(channel))) {
			if (this.#stopping.signal.aborted) throw cutShort();
			// Another session has started, so the channels are read again.
			await this.#work;
		}
	}

	/**
	 * Waits for the readings that were added before the call. Resolves with false if a channel is still being read.
	 * The reason is that reading was stopped, or that another session has started.
	 */
	async idle(): Promise<boolean> {
		await this.#work;
		return this.#reading.size === 0;
	}

	/**
	 * Stops reading. Resolves when no reading is in progress. The next process receives or reads the waiting
	 * events again.
	 */
	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#again?.cancel();
		this.#direct.stop();
		await this.#work;
	}

	/**
	 * Handles READY: resolves when the missed messages are durable or recorded as unread. Only then can the session be
	 * resumed.
	 */
	async #ready({ d }: DiscordDispatch): Promise<void> {
		this.#expected = new Set(Ready.safeParse(d).data?.guilds.map(({ id }) => id));
		if (!(await this.idle())) throw cutShort();
		await this.#direct.seen();
		if (!this.#direct.isSeen) throw cutShort();
	}

	async #guild(event: DiscordDispatch): Promise<void> {
		const { highWater, alive, log, receive } = this.#parts;
		// A new session of Discord replaces `#expected`, and can start during the `await` below.
		const expected = this.#expected;
		const unknown = (alive.since === undefined ? [] : unreadChannels(event.d, alive.since)).filter(
			([channel]) => !highWater.cursors.has(channel),
		);
		const { id: guild = "" } = OfGuild.safeParse(event.d).data ?? {};
		if (unknown.length > maxUnknown) {
			const fields = { guild, places: unknown.length, read: maxUnknown };
			log.warn("more channels have missed messages than are read", fields);
		}
		await Promise.all([this.read(unknown.slice(0, maxUnknown)), receive(event)]);
		expected.delete(guild);
	}

	#guildRemoved({ d }: DiscordDispatch): void {
		const guild = RemovedGuild.safeParse(d).data;
		if (guild !== undefined && guild.unavailable !== true) this.#expected.delete(guild.id);
	}

	/**
	 * Starts a reading for each place, unless a current reading covers the place. New message events in the
	 * channels of the new readings then wait.
	 */
	#begin(places: readonly ReadPosition[]): readonly Reading[] {
		const isRead = ([channel, cursor]: ReadPosition): boolean => {
			const reading = this.#reading.get(channel);
			return reading !== undefined && startOf(reading.cursor) <= startOf(cursor);
		};
		return places.filter((place) => !isRead(place)).map((place) => this.#put(place));
	}

	#put([channel, cursor]: ReadPosition): Reading {
		const before = this.#reading.get(channel);
		if (before !== undefined) before.isDisplaced = true;
		// Events that wait for an earlier reading of the channel now wait for the new reading.
		const { events = [] } = before ?? {};
		// If `LastAlive` has no stored time, an earlier process may already have answered the messages of this reading.
		const isNew = this.#parts.alive.since === undefined;
		const reading: ReadingChannel = { cursor: isNew ? { ...cursor, seenBefore: true } : cursor, events };
		this.#reading.set(channel, reading);
		return [channel, reading];
	}

	#add(work: () => Promise<void>): Promise<void> {
		this.#work = this.#work.then(work);
		return this.#work;
	}

	async #readAll(places: readonly Reading[]): Promise<void> {
		const missed = new MissedMessages({ ...this.#parts, signal: this.#stopping.signal });
		const left = [...places];
		const readSome = async (): Promise<void> => {
			for (let next = left.shift(); next !== undefined; next = left.shift()) await this.#read(missed, next);
		};
		await Promise.all(Array.from({ length: parallel }, readSome));
	}

	async #read(missed: MissedMessages, [channel, reading]: Reading): Promise<void> {
		if (reading.isDisplaced) return;
		const { highWater, log, receive } = this.#parts;
		const { cursor } = reading;
		const seen = cursor.seenBefore && { seenBefore: cursor.seenBefore };
		try {
			const outcome = await missed.read(channel, cursor, (d) => receive({ t: "MESSAGE_CREATE", d, ...seen }));
			if (outcome === "gone") highWater.forget(channel);
			else highWater.caughtUp(channel);
			this.#settle();
		} catch (error) {
			if (this.#stopping.signal.aborted) return;
			log.warn("could not read the missed messages of a channel, trying again later", { channel, error });
			await highWater.addPending(channel, cursor);
			this.#scheduleRetry();
		}
		this.#release(channel, reading);
	}

	async #readDirect(): Promise<void> {
		const isSeen = await this.#direct.check((places) => this.#readAll(this.#begin(places)));
		if (isSeen) this.#settle();
		else this.#scheduleRetry();
	}

	#settle(): void {
		if (this.#parts.highWater.behind.length === 0 && this.#direct.isSeen) this.#failures = 0;
	}

	#scheduleRetry(): void {
		if (this.#stopping.signal.aborted) return;
		const waitMs = Math.min(firstRetryMs * 2 ** this.#failures, maxRetryMs);
		this.#again ??= this.#parts.clock.after(waitMs, () => {
			this.#again = undefined;
			this.#failures += 1;
			void this.#add(async () => {
				await this.#readUnread();
				await this.#readDirect();
			});
		});
	}

	async #readUnread(): Promise<void> {
		const { behind } = this.#parts.highWater;
		// New events of the unread channels do not wait, because the reading may take a long time.
		await this.#readAll(behind.map(([channel, cursor]) => [channel, { cursor, events: [] }]));
	}

	/**
	 * Ends a reading, and passes on the events that waited for the reading. Does nothing if another reading has
	 * replaced it.
	 */
	#release(channel: string, reading: ReadingChannel): void {
		if (this.#reading.get(channel) !== reading) return;
		this.#reading.delete(channel);
		for (const { event, received } of reading.events) received.resolve(this.#parts.receive(event));
	}
}

function startOf({ unread, message }: Cursor): bigint {
	return BigInt(unread ?? message);
}

function cutShort(): ParleyError {
	return new ParleyError(
		"did not read all missed messages: the connector is stopping, or a new session of Discord started",
		{ code: "cancelled" },
	);
}
