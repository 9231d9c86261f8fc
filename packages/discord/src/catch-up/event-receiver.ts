import { type Clock, delay, type Logger, ParleyError } from "@parley/base";
import type { InboundEvent } from "@parley/connector";
import * as z from "zod";
import type { Translated } from "../intake/translated.ts";
import type { DiscordDispatch } from "../vocabulary/discord-port.ts";
import type { HighWater } from "./high-water.ts";

export interface EventHandlers {
	readonly intake: { translate(event: DiscordDispatch, signal: AbortSignal): Promise<Translated> };
	/**
	 * Handler of interactions. Interactions are neither queued nor retried, because Discord waits only three
	 * seconds for the response.
	 */
	readonly interactions: { handle(data: unknown): void };
	readonly accept: (
		inbound: InboundEvent,
		key: { readonly id: string; readonly conversation: string },
	) => Promise<boolean>;
}

export interface ReceivedEvent extends DiscordDispatch {
	/** Whether an earlier process may have answered the message; see `InboundEvent`. */
	readonly seenBefore?: true;
}

export interface EventReceiverParts {
	readonly handlers: Promise<EventHandlers>;
	readonly highWater: HighWater;
	readonly clock: Clock;
	readonly log: Logger;
}

/** Delay in milliseconds between attempts to store an inbound event. */
const retryMs = 1000;

/** Channel of an event or, without a channel, its guild. Events of one place keep their order. */
const Place = z
	.object({ channel_id: z.string(), guild_id: z.string(), id: z.string() })
	.partial()
	.transform(({ channel_id: channel, guild_id: guild, id }) => channel ?? `guild ${guild ?? id}`);

/**
 * Makes events durable, and then moves the channel's cursor for each message. Keeps the order of events
 * within each channel or, without a channel, within each guild.
 */
export class EventReceiver {
	readonly #parts: EventReceiverParts;
	readonly #tails = new Map<string, Promise<void>>();
	readonly #stopping = new AbortController();
	#handlers: EventHandlers | undefined;

	constructor(parts: EventReceiverParts) {
		this.#parts = parts;
		parts.handlers.then(
			(handlers) => {
				this.#handlers = handlers;
			},
			// The caller that awaits the event gets the error.
			() => undefined,
		);
	}

	/**
	 * Makes an event durable. Resolves when the event is durable or ignored. An interaction is only passed to its
	 * handler. After `stop`, rejects with `cancelled` for any other event.
	 */
	receive(event: ReceivedEvent): Promise<void> {
		if (event.t === "INTERACTION_CREATE") return this.#interact(event.d);
		const place = Place.safeParse(event.d).data ?? "";
		const before = this.#tails.get(place);
		const received = (before ?? Promise.resolve()).then(() => this.#process(event));
		const tail = received
			.catch(() => undefined)
			.finally(() => {
				if (this.#tails.get(place) === tail) this.#tails.delete(place);
			});
		this.#tails.set(place, tail);
		return received;
	}

	/** Stops processing, except for interactions. Resolves when the events in progress have ended. */
	async stop(): Promise<void> {
		this.#stopping.abort(new ParleyError("cancelled: the connector is stopping", { code: "cancelled" }));
		await Promise.all(this.#tails.values());
	}

	async #interact(data: unknown): Promise<void> {
		const handlers = this.#handlers ?? (await this.#parts.handlers);
		handlers.interactions.handle(data);
	}

	async #process(event: ReceivedEvent): Promise<void> {
		const { signal } = this.#stopping;
		signal.throwIfAborted();
		const { intake } = await this.#parts.handlers;
		const translated = await intake.translate(event, signal);
		if ("ignored" in translated) {
			this.#parts.log.debug("an event from Discord was ignored", { event: event.t, why: translated.ignored });
			return;
		}
		for (const { inbound, key, stored } of translated) {
			// If a missed message was edited, the intake returns an `edited` event for it.
			const isMessage = inbound.type === "message" || inbound.type === "edited";
			await this.#accept(event.seenBefore && isMessage ? { ...inbound, seenBefore: true } : inbound, key);
			await stored?.();
		}
	}

	async #accept(
		inbound: InboundEvent,
		key: { readonly id: string; readonly conversation: string },
	): Promise<void> {
		const { handlers, highWater, clock, log } = this.#parts;
		const { accept } = await handlers;
		const { signal } = this.#stopping;
		for (let isStored = false; !isStored; ) {
			try {
				await accept(inbound, key);
				isStored = true;
			} catch (error) {
				log.warn("cannot store an event from Discord, retrying", { id: key.id, error });
				await delay(clock, retryMs, signal);
			}
		}
		if (inbound.type !== "message") return;
		const { tenant, channel, thread } = inbound.room;
		const guild = inbound.room.kind === "channel" ? { guild: tenant } : {};
		await highWater.passed(thread ?? channel, { message: inbound.message, ...guild });
	}
}
