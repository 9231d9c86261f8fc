import { ParleyError, type Timer } from "@parley/base";
import * as z from "zod";
import { GoneGuild } from "../intake/wire.ts";
import type { DiscordDispatch } from "../vocabulary/discord-port.ts";
import { DirectMessages, type DirectMessagesParts, type Place, placesOf } from "./direct-messages.ts";
import type { HighWater, Mark } from "./high-water.ts";
import { MissedMessages } from "./missed-messages.ts";
import type { TakenEvent } from "./taking.ts";

export interface CatchUpParts extends DirectMessagesParts {
	readonly highWater: HighWater;
	/** See `LastAlive`. */
	readonly alive: { readonly since: string | undefined };
	/** Takes events in the order of the calls within a channel; resolves when one is durable. */
	readonly take: (event: TakenEvent) => Promise<void>;
}

/** A place that is being read, and what happens there meanwhile. */
interface Held {
	readonly mark: Mark;
	readonly events: { readonly event: DiscordDispatch; readonly taken: PromiseWithResolvers<void> }[];
	/** Another reading stands for this one. */
	isDisplaced?: true;
}

type Reading = readonly [channel: string, held: Held];

/** So many channels are read at a time. */
const parallel = 4;

/** So many events of one channel wait until what came before them was read; more than that go on out of order. */
const mostHeld = 500;

/** So many places of a guild are read of which nothing is known but that something was written there. */
const mostUnknown = 100;

/** Until what could not be read is tried again, doubled each time. */
const firstAgainMs = 60_000;
const mostAgainMs = 3_600_000;

const OfChannel = z.object({ channel_id: z.string() });
const OfGuild = z.object({ id: z.string() });
const Ready = z.object({ guilds: z.array(OfGuild) });

/**
 * Stands between Discord and whatever takes its events. After a start that Discord could not resume it reads what was
 * missed, oldest first: in the channels that are known, in others and in threads where something was written since all
 * was well, in direct messages of people who are known. What happens there meanwhile waits for its turn; all else, and
 * each press and command, goes through at once. What cannot be read is owed, and tried again for as long as it takes.
 */
export class CatchUp {
	readonly #parts: CatchUpParts;
	readonly #held = new Map<string, Held>();
	/** Guilds that have not told yet what they are. */
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

	/** Nothing is being read, nobody is left to be looked at, and every guild has told what it is. */
	get isDone(): boolean {
		return this.#held.size === 0 && this.#expected.size === 0 && this.#direct.isSeen;
	}

	/** Resolves when it is taken; that may be never, where it waits and reading is cut short. */
	dispatch(event: DiscordDispatch): Promise<void> {
		if (event.t === "READY") return this.#ready(event);
		if (event.t === "GUILD_CREATE") return this.#guild(event);
		if (event.t === "GUILD_DELETE") this.#guildGone(event);
		const channel = event.t.startsWith("MESSAGE_")
			? OfChannel.safeParse(event.d).data?.channel_id
			: undefined;
		const held = channel === undefined ? undefined : this.#held.get(channel);
		if (channel === undefined || held === undefined) return this.#parts.take(event);
		const taken = Promise.withResolvers<void>();
		held.events.push({ event, taken });
		if (held.events.length > mostHeld) {
			// It goes on, and what came before it is owed until it was read.
			void this.#parts.highWater.owe(channel, held.mark);
			this.#release(channel, held);
		}
		return taken.promise;
	}

	/** Call it before the first event of the new session: from here on those of known channels wait. */
	begin(): void {
		// Also what is being read already: it may have been read before the end of the session that this is done after.
		const reading = [...this.#held].map(([channel, { mark }]) => [channel, mark] as const);
		const known = new Map([...this.#parts.highWater.marks, ...reading]);
		const held = [...known].map((place) => this.#put(place));
		const { since } = this.#parts.alive;
		if (since !== undefined) this.#direct.miss(since, known);
		void this.#add(async () => {
			await this.#readAll(held);
			await this.#readDirect();
		});
	}

	/** Discord has told of everything that was missed; what an earlier process could not read is still owed. */
	resumed(): void {
		if (this.#parts.highWater.behind.length > 0) void this.#add(() => this.#readOwed());
	}

	/** Reads what was written in these places; resolves when it is taken, or owed. Rejects as `READY` does. */
	async read(places: readonly Place[]): Promise<void> {
		const held = this.#hold(places);
		if (held.length === 0) return;
		await this.#add(() => this.#readAll(held));
		while (held.some(([channel]) => this.#held.has(channel))) {
			if (this.#stopping.signal.aborted) throw cutShort();
			// Another session has begun, after which they are read once more.
			await this.#work;
		}
	}

	/**
	 * Resolves when nothing is being read and nothing waits; false where reading was cut short, so that what has waited
	 * was never taken.
	 */
	async idle(): Promise<boolean> {
		await this.#work;
		return this.#held.size === 0;
	}

	/** What waits stays untaken: the next start reads it, because no mark has passed it. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#again?.cancel();
		this.#direct.stop();
		await this.#work;
	}

	/** A new session is one to go on with when what was missed before it is taken. */
	async #ready({ d }: DiscordDispatch): Promise<void> {
		this.#expected = new Set(Ready.safeParse(d).data?.guilds.map(({ id }) => id));
		if (!(await this.idle())) throw cutShort();
		await this.#direct.seen();
		if (!this.#direct.isSeen) throw cutShort();
	}

	async #guild(event: DiscordDispatch): Promise<void> {
		const { highWater, alive, log, take } = this.#parts;
		// Of this session: another one may have begun when it is read.
		const expected = this.#expected;
		const unknown = (alive.since === undefined ? [] : placesOf(event.d, alive.since)).filter(
			([channel]) => !highWater.marks.has(channel),
		);
		const { id: guild = "" } = OfGuild.safeParse(event.d).data ?? {};
		if (unknown.length > mostUnknown) {
			const fields = { guild, places: unknown.length, read: mostUnknown };
			log.warn("something was written in more channels than are read afterwards", fields);
		}
		await Promise.all([this.read(unknown.slice(0, mostUnknown)), take(event)]);
		expected.delete(guild);
	}

	#guildGone({ d }: DiscordDispatch): void {
		const guild = GoneGuild.safeParse(d).data;
		if (guild !== undefined && guild.unavailable !== true) this.#expected.delete(guild.id);
	}

	/** Those that are not being read yet, or not from so far back; what happens there waits from here on. */
	#hold(places: readonly Place[]): readonly Reading[] {
		const isRead = ([channel, mark]: Place): boolean => {
			const held = this.#held.get(channel);
			return held !== undefined && startOf(held.mark) <= startOf(mark);
		};
		return places.filter((place) => !isRead(place)).map((place) => this.#put(place));
	}

	/** What waits there already goes on waiting, for this. */
	#put([channel, mark]: Place): Reading {
		const before = this.#held.get(channel);
		if (before !== undefined) before.isDisplaced = true;
		const { events = [] } = before ?? {};
		// Before all was well for the first time, nobody knows what an earlier process has answered.
		const isNew = this.#parts.alive.since === undefined;
		const held: Held = { mark: isNew ? { ...mark, seenBefore: true } : mark, events };
		this.#held.set(channel, held);
		return [channel, held];
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

	async #read(missed: MissedMessages, [channel, held]: Reading): Promise<void> {
		if (held.isDisplaced) return;
		const { highWater, log, take } = this.#parts;
		const { mark } = held;
		const seen = mark.seenBefore && { seenBefore: mark.seenBefore };
		try {
			const outcome = await missed.read(channel, mark, (d) => take({ t: "MESSAGE_CREATE", d, ...seen }));
			if (outcome === "gone") highWater.forget(channel);
			else highWater.caughtUp(channel);
			this.#settle();
		} catch (error) {
			if (this.#stopping.signal.aborted) return;
			log.warn("what was missed in a channel could not be read, and is tried again", { channel, error });
			await highWater.owe(channel, mark);
			this.#tryAgain();
		}
		this.#release(channel, held);
	}

	async #readDirect(): Promise<void> {
		const isSeen = await this.#direct.look((places) => this.#readAll(this.#hold(places)));
		if (isSeen) this.#settle();
		else this.#tryAgain();
	}

	#settle(): void {
		if (this.#parts.highWater.behind.length === 0 && this.#direct.isSeen) this.#failures = 0;
	}

	#tryAgain(): void {
		if (this.#stopping.signal.aborted) return;
		const waitMs = Math.min(firstAgainMs * 2 ** this.#failures, mostAgainMs);
		this.#again ??= this.#parts.clock.after(waitMs, () => {
			this.#again = undefined;
			this.#failures += 1;
			void this.#add(async () => {
				await this.#readOwed();
				await this.#readDirect();
			});
		});
	}

	/** Whatever happens in these meanwhile is taken: it would wait too long. */
	async #readOwed(): Promise<void> {
		const { behind } = this.#parts.highWater;
		await this.#readAll(behind.map(([channel, mark]) => [channel, { mark, events: [] }]));
	}

	/** Nothing where the place waits for another reading since. */
	#release(channel: string, held: Held): void {
		if (this.#held.get(channel) !== held) return;
		this.#held.delete(channel);
		for (const { event, taken } of held.events) taken.resolve(this.#parts.take(event));
	}
}

/** What was written after it is read. */
function startOf({ unread, message }: Mark): bigint {
	return BigInt(unread ?? message);
}

function cutShort(): ParleyError {
	return new ParleyError("what was missed was not read to its end", { code: "cancelled" });
}
