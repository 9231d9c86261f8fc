import { type Clock, delay, type Logger, ParleyError } from "@parley/base";
import type { Arrival } from "@parley/connector";
import * as z from "zod";
import type { Translated } from "../intake/translated.ts";
import type { DiscordDispatch } from "../vocabulary/discord-port.ts";
import type { HighWater } from "./high-water.ts";

/** What events are handed to, once it is there. */
export interface Takers {
	readonly intake: { translate(event: DiscordDispatch, signal: AbortSignal): Promise<Translated> };
	/** Interactions are answered at once, and never come again: nobody waits longer than three seconds. */
	readonly interactions: { handle(data: unknown): void };
	readonly accept: (
		arrival: Arrival,
		key: { readonly id: string; readonly conversation: string },
	) => Promise<boolean>;
}

export interface TakenEvent extends DiscordDispatch {
	/** Of a message; see `Arrival`. */
	readonly seenBefore?: true;
}

export interface TakingParts {
	readonly takers: Promise<Takers>;
	readonly highWater: HighWater;
	readonly clock: Clock;
	readonly log: Logger;
}

/** What cannot be written down is tried again so often, because what comes after it waits. */
const againMs = 1000;

/** What happens to channels and roles names their guild, what happens to a guild is only that. */
const Place = z
	.object({ channel_id: z.string(), guild_id: z.string(), id: z.string() })
	.partial()
	.transform(({ channel_id: channel, guild_id: guild, id }) => channel ?? `guild ${guild ?? id}`);

/** Takes events durably, those of one channel and those of one guild's settings in order, and moves the marks behind what is taken. */
export class Taking {
	readonly #parts: TakingParts;
	readonly #tails = new Map<string, Promise<void>>();
	readonly #stopping = new AbortController();
	#takers: Takers | undefined;

	constructor(parts: TakingParts) {
		this.#parts = parts;
		parts.takers.then(
			(takers) => {
				this.#takers = takers;
			},
			// Whoever waits for it hears of it.
			() => undefined,
		);
	}

	/** Resolves when it is durable; rejects with `cancelled` where that is not going to be. */
	take(event: TakenEvent): Promise<void> {
		if (event.t === "INTERACTION_CREATE") return this.#interact(event.d);
		const place = Place.safeParse(event.d).data ?? "";
		const before = this.#tails.get(place);
		const taken = (before ?? Promise.resolve()).then(() => this.#take(event));
		const tail = taken
			.catch(() => undefined)
			.finally(() => {
				if (this.#tails.get(place) === tail) this.#tails.delete(place);
			});
		this.#tails.set(place, tail);
		return taken;
	}

	/** Takes nothing more, and resolves when what was being taken is or will not be. */
	async stop(): Promise<void> {
		this.#stopping.abort(new ParleyError("the connector stops", { code: "cancelled" }));
		await Promise.all(this.#tails.values());
	}

	async #interact(data: unknown): Promise<void> {
		const takers = this.#takers ?? (await this.#parts.takers);
		takers.interactions.handle(data);
	}

	async #take(event: TakenEvent): Promise<void> {
		const { signal } = this.#stopping;
		signal.throwIfAborted();
		const { intake } = await this.#parts.takers;
		const translated = await intake.translate(event, signal);
		if ("ignored" in translated) {
			this.#parts.log.debug("an event of Discord was ignored", { event: event.t, why: translated.ignored });
			return;
		}
		for (const { arrival, key, taken } of translated) {
			const isSeen = event.seenBefore && arrival.type === "message";
			await this.#accept(isSeen ? { ...arrival, seenBefore: true } : arrival, key);
			await taken?.();
		}
	}

	async #accept(
		arrival: Arrival,
		key: { readonly id: string; readonly conversation: string },
	): Promise<void> {
		const { takers, highWater, clock, log } = this.#parts;
		const { accept } = await takers;
		const { signal } = this.#stopping;
		for (let taken = false; !taken; ) {
			try {
				await accept(arrival, key);
				taken = true;
			} catch (error) {
				log.warn("an event of Discord cannot be taken yet", { id: key.id, error });
				await delay(clock, againMs, signal);
			}
		}
		if (arrival.type !== "message") return;
		const { tenant, channel, thread } = arrival.room;
		const guild = arrival.room.kind === "channel" ? { guild: tenant } : {};
		await highWater.passed(thread ?? channel, { message: arrival.message, ...guild });
	}
}
