import { type Logger, ParleyError } from "@parley/base";
import type { InboundEvent } from "@parley/connector";
import * as z from "zod";
import type { Interaction, SlackEnvelope, SlackReply } from "../vocabulary/slack-port.ts";
import type { Incoming, Translated } from "./incoming.ts";
import { isOutdated, type Outdated } from "./outdated.ts";
import { ts } from "./wire.ts";

/** Handlers of deliveries. They exist only after the start. */
export interface EventHandlers {
	readonly intake: { translate(body: unknown, isLast?: boolean): Promise<Translated> };
	readonly outdated: Outdated;
	readonly interactions: { handle(interaction: Interaction): Promise<SlackReply> };
	readonly accept: (inbound: InboundEvent, key: Incoming["key"]) => Promise<unknown>;
}

export interface EventReceiverParts {
	readonly handlers: Promise<EventHandlers>;
	/** Receives each inbound event that has been stored. */
	readonly passed: (inbound: InboundEvent) => Promise<void>;
	/**
	 * Receives an event that Slack does not redeliver. Returns false if the event cannot be read later; see
	 * `CatchUp.lost`.
	 */
	readonly lost: (body: unknown) => boolean;
	readonly log: Logger;
}

/** Number of the last attempt. Slack retries three times: https://docs.slack.dev/apis/events-api#retries */
const lastAttempt = 3;

/** Receives deliveries from Slack. Stores the events of one line in their order; see `lineOf`. */
export class EventReceiver {
	readonly #parts: EventReceiverParts;
	readonly #tails = new Map<string, Promise<unknown>>();
	readonly #running = new Set<Promise<unknown>>();
	readonly #stopping = new AbortController();

	constructor(parts: EventReceiverParts) {
		this.#parts = parts;
		// Calls that wait for the handlers get the rejection.
		parts.handlers.catch(() => undefined);
	}

	/**
	 * Handles a delivery. Resolves when the delivery is stored or answered, or will be read later. Rejects if Slack must
	 * redeliver the delivery, or if the delivery is lost.
	 */
	async receive(envelope: SlackEnvelope): Promise<SlackReply> {
		this.#stopping.signal.throwIfAborted();
		const { type, body, attempt } = envelope;
		const received: Promise<SlackReply> =
			type === "event"
				? this.#event(body, attempt)
				: this.#parts.handlers.then(({ interactions }) => interactions.handle({ ...envelope, type }));
		const running = received
			.then(
				() => undefined,
				(error: unknown) => this.#failed(attempt, error),
			)
			.finally(() => this.#running.delete(running));
		this.#running.add(running);
		return received;
	}

	/**
	 * Handles one outer event. Resolves when its inbound events are stored, or when the event is ignored or outdated.
	 * With `isLast`, data that Slack does not return in time is left out, because the event is not received again.
	 * `seenBefore` means that an earlier process may have answered the event.
	 */
	event(body: unknown, isLast = false, seenBefore?: true): Promise<undefined> {
		const { handlers, log } = this.#parts;
		const translated = handlers.then(({ intake }) => intake.translate(body, isLast));
		const line = lineOf(body);
		const before = line === undefined ? undefined : this.#tails.get(line);
		const received = Promise.allSettled([translated, before]).then(async () => {
			const all = await translated;
			if ("ignored" in all) {
				log.debug("an event from Slack was ignored", { why: all.ignored });
				return undefined;
			}
			const { outdated } = await handlers;
			for (const incoming of all) {
				// The earlier event in the line was not yet stored when this event was translated.
				const isOld = before !== undefined && (await isOutdated(incoming, outdated));
				if (isOld) log.debug("a newer event replaced an event from Slack", { id: incoming.key.id });
				else await this.#accept(seenBefore ? markSeen(incoming) : incoming);
			}
			return undefined;
		});
		if (line !== undefined) this.#wait(line, received);
		return received;
	}

	async #event(body: unknown, attempt: number): Promise<undefined> {
		const { lost, log } = this.#parts;
		try {
			return await this.event(body);
		} catch (error) {
			if (attempt < lastAttempt || this.#stopping.signal.aborted) throw error;
			if (!lost(body)) return await this.event(body, true);
			log.warn("an event from Slack was not accepted, and is read later", { error });
			return undefined;
		}
	}

	/** Accepts no further deliveries. Resolves when all running deliveries are stored or refused. */
	async stop(): Promise<void> {
		this.#stopping.abort(new ParleyError("cancelled: the connector is stopping", { code: "cancelled" }));
		await Promise.all([...this.#running, ...this.#tails.values()]);
	}

	#failed(attempt: number, error: unknown): void {
		if (this.#stopping.signal.aborted) return;
		const { log } = this.#parts;
		if (attempt < lastAttempt)
			log.warn("an event from Slack was not accepted, and Slack sends it again", { attempt, error });
		else log.error("an event from Slack is lost", { attempt, error });
	}

	#wait(line: string, received: Promise<unknown>): void {
		const tail = received
			.catch(() => undefined)
			.finally(() => {
				if (this.#tails.get(line) === tail) this.#tails.delete(line);
			});
		this.#tails.set(line, tail);
	}

	async #accept({ inbound, key }: Incoming): Promise<void> {
		const { handlers, passed } = this.#parts;
		const { accept } = await handlers;
		this.#stopping.signal.throwIfAborted();
		await accept(inbound, key);
		await passed(inbound);
	}
}

function markSeen({ inbound, key }: Incoming): Incoming {
	return inbound.type === "message" ? { inbound: { ...inbound, seenBefore: true }, key } : { inbound, key };
}

const MessageTimes = z.object({ ts: ts.optional(), thread_ts: ts.optional() });
const Lined = z.object({
	event: MessageTimes.extend({
		channel: z.string(),
		deleted_ts: ts.optional(),
		message: MessageTimes.optional(),
		previous_message: MessageTimes.nullish(),
	}),
});

/**
 * Returns the line of an event: the channel of direct messages, or the thread in any other channel. Returns undefined
 * for an event without a channel.
 */
function lineOf(body: unknown): string | undefined {
	const event = Lined.safeParse(body).data?.event;
	if (event === undefined) return undefined;
	const { channel, deleted_ts, message, previous_message: before } = event;
	if (channel.startsWith("D")) return channel;
	const thread = message?.thread_ts ?? before?.thread_ts ?? event.thread_ts;
	return `${channel}/${thread ?? message?.ts ?? deleted_ts ?? event.ts ?? ""}`;
}
