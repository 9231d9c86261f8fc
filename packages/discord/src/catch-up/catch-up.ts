import type { Clock, Logger } from "@parley/base";
import * as z from "zod";
import type { DiscordDispatch, DiscordPort } from "../discord-port.ts";
import type { HighWater, Mark } from "./high-water.ts";
import { MissedMessages } from "./missed-messages.ts";

export interface CatchUpParts {
	readonly port: Pick<DiscordPort, "request">;
	readonly highWater: HighWater;
	readonly clock: Clock;
	readonly log: Logger;
	/** Takes events in the order of the calls within a channel; resolves when one is durable. */
	readonly take: (event: DiscordDispatch) => Promise<void>;
}

interface Held {
	readonly event: DiscordDispatch;
	readonly taken: PromiseWithResolvers<void>;
}

/** So many channels are read at a time. */
const parallel = 4;

/** So many events of one channel wait until what came before them was read; more than that go on out of order. */
const mostHeld = 500;

const OfChannel = z.object({ channel_id: z.string() });

/**
 * Stands between Discord and whatever takes its events. After a start that Discord could not resume it reads what was
 * missed in the channels that are known, oldest first, while what happens there waits for its turn; all else, and each
 * press and command, goes through at once.
 */
export class CatchUp {
	readonly #parts: CatchUpParts;
	readonly #held = new Map<string, Held[]>();
	readonly #stopping = new AbortController();
	#work: Promise<void> = Promise.resolve();

	constructor(parts: CatchUpParts) {
		this.#parts = parts;
	}

	/** Resolves when it is taken; that may be never, where it waits and reading is cut short. */
	dispatch(event: DiscordDispatch): Promise<void> {
		const channel = event.t.startsWith("MESSAGE_")
			? OfChannel.safeParse(event.d).data?.channel_id
			: undefined;
		const held = channel === undefined ? undefined : this.#held.get(channel);
		if (channel === undefined || held === undefined) return this.#parts.take(event);
		const taken = Promise.withResolvers<void>();
		held.push({ event, taken });
		if (held.length > mostHeld) this.#release(channel);
		return taken.promise;
	}

	/** Call it before the first event of the new session: from here on those of known channels wait. */
	begin(): void {
		const channels = [...this.#parts.highWater.marks].filter(([channel]) => !this.#held.has(channel));
		for (const [channel] of channels) this.#held.set(channel, []);
		const before = this.#work;
		this.#work = before.then(() => this.#readAll(channels));
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
		await this.#work;
	}

	async #readAll(channels: readonly (readonly [string, Mark])[]): Promise<void> {
		const missed = new MissedMessages({ ...this.#parts, signal: this.#stopping.signal });
		const left = [...channels];
		const readSome = async (): Promise<void> => {
			for (let next = left.shift(); next !== undefined; next = left.shift())
				await this.#read(missed, ...next);
		};
		await Promise.all(Array.from({ length: parallel }, readSome));
	}

	async #read(missed: MissedMessages, channel: string, mark: Mark): Promise<void> {
		const { highWater, log, take } = this.#parts;
		try {
			const outcome = await missed.read(channel, mark, (d) => take({ t: "MESSAGE_CREATE", d }));
			if (outcome === "gone") highWater.forget(channel);
		} catch (error) {
			if (this.#stopping.signal.aborted) return;
			log.warn("what was missed in a channel could not be read", { channel, error });
		}
		this.#release(channel);
	}

	#release(channel: string): void {
		const held = this.#held.get(channel) ?? [];
		this.#held.delete(channel);
		for (const { event, taken } of held) taken.resolve(this.#parts.take(event));
	}
}
