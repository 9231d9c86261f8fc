import { type Clock, delay, type Logger, type Timer } from "@parley/base";
import type { RoomProgress, StoredValue } from "@parley/connector";
import type { SlackApi, SlackLink } from "../vocabulary/slack-port.ts";
import { type ActiveChannel, type ActiveChannels, nameOf } from "./active-channels.ts";
import { type Gap, gapOf, gapsOf, isWithin, mergeGaps, stampOf } from "./gaps.ts";
import { MissedMessages } from "./missed-messages.ts";

export interface CatchUpParts {
	readonly port: SlackApi;
	readonly places: ActiveChannels;
	/**
	 * Resolves with the threads below recent posts in channels. The first reply in such a thread may have been missed.
	 */
	readonly posted: () => Promise<readonly ActiveChannel[]>;
	/** Latest time before which no event is missing, in milliseconds since the epoch. */
	readonly alive: StoredValue<number>;
	/** True after `begin` has completed with this database. */
	readonly begun: StoredValue<true>;
	readonly clock: Clock;
	readonly log: Logger;
	/** Handles an outer event; see `EventReceiver.event`. */
	readonly receive: (body: unknown, isLast: boolean, seenBefore?: true) => Promise<unknown>;
}

/**
 * Milliseconds for which Slack certainly retries a delivery. Slack stops after about five minutes:
 * https://docs.slack.dev/apis/events-api#retries
 */
export const deliveredMs = 4 * 60_000;
/**
 * Milliseconds before the last known time from which messages are read again, because events that were being
 * delivered may be missing. Repeated messages are recognised by their ids.
 */
const overlapMs = 6 * 60_000;
const oldestMs = 24 * 3_600_000;
const everyMs = 60_000;
/** Milliseconds without events after which missed messages are read even on an open connection. */
const silentMs = 16 * 60_000;
const maxPlaces = 50;
/** Maximum threads to add from missed messages until all gaps are read. */
const maxThreads = 100;

/** Maximum attempts to read a channel or thread. */
const tries = 3;
const retryMs = 60_000;

/**
 * Reads missed messages, for example in recently active channels and threads after a period without events. Newer
 * messages do not wait for missed messages.
 */
export class CatchUp {
	readonly #parts: CatchUpParts;
	readonly #stopping = new AbortController();
	#isReady = false;
	/**
	 * Time before which all events were received or are being read. With a new database, undefined before the first
	 * connection.
	 */
	#silenceStart: number | undefined;
	/** Start of the period that remains to be read. */
	#missingFrom: number | undefined;
	#timer: Timer | undefined;
	#left: Gap[] = [];
	#work: Promise<void> | undefined;

	static async open(parts: CatchUpParts): Promise<CatchUp> {
		return new CatchUp(parts, await parts.alive.load());
	}

	private constructor(parts: CatchUpParts, aliveAt: number | undefined) {
		this.#parts = parts;
		this.#silenceStart = aliveAt;
	}

	/** Returns the number of channels and threads that remain to be read. */
	get behind(): number {
		return this.#left.length;
	}

	linked({ state }: SlackLink): void {
		this.#isReady = state === "ready";
		if (!this.#isReady) return;
		const { clock, log } = this.#parts;
		this.#silenceStart ??= clock.now();
		this.#readIfSilent(deliveredMs, (fields) =>
			log.info("the connector was offline for longer than Slack retries: reading missed messages", fields),
		);
		this.#timer ??= clock.after(everyMs, () => this.#tick());
	}

	noteEvent(): void {
		if (!this.#isReady || this.#stopping.signal.aborted) return;
		this.silent();
		this.#silenceStart = this.#parts.clock.now();
	}

	/** Checks for missed events, after a sign that no events arrive. */
	silent(): void {
		this.#quiet(deliveredMs);
	}

	/**
	 * Schedules the later reading of a missed event. Returns false if the event cannot be read later, or if the
	 * connector is stopping.
	 */
	lost(body: unknown): boolean {
		const { clock, places } = this.#parts;
		const gap = gapOf(body, clock.now());
		if (gap === undefined || this.#stopping.signal.aborted) return false;
		places.add([gap.place]);
		this.#missing(Number(gap.oldest) * 1000);
		void this.#save();
		void this.#add([gap], clock.now());
		return true;
	}

	/**
	 * Reads missed messages if the database is new: the messages that Parley's gateway lacks, in channels and threads
	 * with sessions. Call `begin` once, after the connector can receive events. After an interruption, the next start
	 * reads the messages again. Rejects if `knownRooms` or the database fails.
	 */
	async begin(knownRooms: () => Promise<readonly RoomProgress[]>): Promise<void> {
		const { places, begun, clock, log } = this.#parts;
		if (await begun.load()) return;
		const rooms = await knownRooms();
		if (this.#stopping.signal.aborted) return;
		const now = clock.now();
		const gaps = gapsOf(rooms, stampOf(now));
		places.add(gaps.map(({ place }) => ({ ...place, us: true })));
		if (gaps.length > 0) log.info("the database is new: reading messages that the gateway does not have");
		await this.#add(gaps, now);
		if (!this.#stopping.signal.aborted) await begun.save(true);
	}

	/** Interrupts reading. The next start reads the complete period. */
	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#timer?.cancel();
		await this.#work;
		await this.#save();
	}

	#quiet(longerMs: number): void {
		if (!this.#isReady) return;
		const { log } = this.#parts;
		this.#readIfSilent(longerMs, (fields) =>
			log.debug("no event arrived: reading messages that may be missing", fields),
		);
	}

	#readIfSilent(longerMs: number, report: (fields: { places: number; minutes: number }) => void): void {
		const { places, clock } = this.#parts;
		const now = clock.now();
		const since = this.#silenceStart ?? now;
		if (this.#stopping.signal.aborted || now - since <= longerMs) return;
		this.#silenceStart = now;
		const { all } = places;
		if (all.length === 0) return;
		report({ places: Math.min(all.length, maxPlaces), minutes: Math.ceil((now - since) / 60_000) });
		this.#missing(since);
		const span = { oldest: stampOf(since - overlapMs), latest: stampOf(now) };
		void this.#add(
			all.map((place) => ({ place, ...span })),
			now,
		);
		void this.#addPosted(span, now);
	}

	async #addPosted(span: Omit<Gap, "place">, now: number): Promise<void> {
		const { places, posted, log } = this.#parts;
		const threads = await posted().catch((error: unknown) => {
			// After a stop, the database is closing, and the next start reads the threads.
			if (!this.#stopping.signal.aborted)
				log.warn("could not list the threads of the bot's posts, so missed replies in them are not read", {
					error,
				});
			return [];
		});
		if (this.#stopping.signal.aborted) return;
		const known = new Set(places.all.map(nameOf));
		await this.#add(
			threads.filter((place) => !known.has(nameOf(place))).map((place) => ({ place, ...span })),
			now,
		);
	}

	#missing(since: number): void {
		this.#missingFrom = Math.min(this.#missingFrom ?? since, since);
	}

	/** Adds gaps to the gaps that remain to be read. Resolves when all gaps are read, or when the connector stops. */
	async #add(gaps: readonly Gap[], now: number): Promise<void> {
		const { log } = this.#parts;
		const first = stampOf(now - oldestMs);
		const read = gaps.slice(0, maxPlaces);
		const left = gaps.length - read.length;
		if (left > 0) log.warn("some missed messages are not read", { places: left });
		if (read.some(({ oldest }) => oldest < first))
			log.warn("missed messages that are older than a day are not read");
		const fresh = read.map((gap) => (gap.oldest > first ? gap : { ...gap, oldest: first }));
		this.#left = mergeGaps(this.#left, fresh);
		if (this.#left.length === 0) return;
		this.#work ??= this.#readAll();
		await this.#work;
	}

	async #readAll(): Promise<void> {
		const { log } = this.#parts;
		const { signal } = this.#stopping;
		const missed = new MissedMessages({ ...this.#parts, signal });
		const read: Gap[] = [];
		let threads = 0;
		for (let next = this.#left[0]; next !== undefined; next = this.#left[0]) {
			const begun = await this.#read(missed, next);
			if (signal.aborted) return;
			read.push(next);
			const gaps = threadGaps(next, begun).filter((gap) => !read.some((one) => isWithin(gap, one)));
			const waiting = new Set(this.#left.slice(1).map(({ place }) => nameOf(place)));
			const known = gaps.filter(({ place }) => waiting.has(nameOf(place)));
			const fresh = gaps.filter((gap) => !known.includes(gap));
			const chosen = fresh.slice(0, maxThreads - threads);
			if (chosen.length < fresh.length)
				log.warn("some missed threads are not read", { threads: fresh.length - chosen.length });
			threads += chosen.length;
			this.#left = mergeGaps(this.#left, [...known, ...chosen]).slice(1);
		}
		this.#work = undefined;
		this.#missingFrom = undefined;
	}

	async #read(missed: MissedMessages, { place, seenBefore, ...span }: Gap): Promise<readonly string[]> {
		const { places, clock, log, receive } = this.#parts;
		const { signal } = this.#stopping;
		for (let tried = 1; tried <= tries && !signal.aborted; tried++) {
			try {
				const isLast = tried === tries;
				const end = await missed.read(place, span, (body) => receive(body, isLast, seenBefore));
				if (end !== "gone") return end;
				places.forget(place);
				return [];
			} catch (error) {
				if (signal.aborted) return [];
				log.warn("could not read missed messages", { ...place, error });
			}
			if (tried === tries) break;
			// An abort ends the delay, and then the loop.
			await delay(clock, retryMs, signal).catch(() => undefined);
		}
		if (!signal.aborted) log.error("missed messages are not read", { ...place });
		return [];
	}

	#tick(): void {
		this.#quiet(silentMs);
		this.#timer = this.#parts.clock.after(everyMs, () => this.#tick());
		void this.#save();
	}

	async #save(): Promise<void> {
		const { alive, log } = this.#parts;
		// Until the missed period is read, a restarted process must read it.
		await alive.save(this.#missingFrom ?? this.#silenceStart).catch((error: unknown) => {
			// A later save may succeed. With an older time, more messages are read again, which is harmless.
			log.warn("cannot store the time of the last event from Slack, retrying later", { error });
		});
	}
}

function threadGaps({ place: { channel }, ...gap }: Gap, threads: readonly string[]): Gap[] {
	return threads.map((thread) => ({ ...gap, place: { channel, thread } }));
}
