import { hash } from "node:crypto";
import { ParleyError } from "@parley/base";
import { isStopWord } from "../commands/text-command.ts";
import { type InboundHandler, isPassing } from "../inbound/inbox.ts";
import type { Plan } from "../outbox/plan.ts";
import { InboundEvent, type InboundEventOf } from "../platform/inbound-event.ts";
import { isForUs, usualFacts } from "../platform/is-for-us.ts";
import { suspendTrust } from "../rooms/suspend-trust.ts";
import { readSuggestions } from "../rooms/welcome.ts";
import { eventCursor } from "../store/retention.ts";
import { messageTexts } from "../texts/messages.ts";
import { privateAnswer, roomAnswer } from "./answer-rows.ts";
import type { EventParts, Turn } from "./handler.ts";
import { handleCommand, handlePress } from "./interaction.ts";
import { handleMessage } from "./message.ts";
import { handleDeleted, handleReaction, handleRetitled, handleStop } from "./sign.ts";

/** Suffix of the queue in which an event waits. Events with the same conversation and suffix are handled in order. */
type Queue = "" | "!" | "!audience";

interface Route<Type extends InboundEvent["type"]> {
	readonly queue: (event: InboundEventOf<Type>) => Queue;
	/** Handles an event. A repeated call for the same event repeats no effect. Rejects if the event must be retried. */
	readonly handle: (parts: EventParts, event: InboundEventOf<Type>, turn: Turn) => Promise<void>;
	/** Returns the answer to the person if the event is given up; undefined if no person waits for an answer. */
	readonly apology?: (parts: EventParts, event: InboundEventOf<Type>) => Apology | undefined;
}

type Apology = Omit<Plan, "cursor">;

const routes: { readonly [Type in InboundEvent["type"]]: Route<Type> } = {
	message: {
		queue: ({ text }) => (isStopWord(text) ? "!" : ""),
		handle: handleMessage,
		apology: apologyInRoom,
	},
	edited: { queue: () => "", handle: handleMessage, apology: apologyInRoom },
	deleted: { queue: () => "", handle: handleDeleted },
	reaction: { queue: ({ sign }) => (sign === "stop" ? "!" : ""), handle: handleReaction },
	stop: { queue: () => "!", handle: handleStop },
	command: { queue: () => "!", handle: handleCommand, apology: apologyInPrivate },
	press: { queue: () => "!", handle: handlePress, apology: apologyInPrivate },
	invited: { queue: () => "", handle: ({ welcomes }, event) => welcomes.atInvitation(event) },
	retitled: { queue: () => "", handle: handleRetitled },
	home: { queue: () => "!", handle: handleHome },
	reopened: { queue: () => "!", handle: handleReopened },
	audience: { queue: () => "!audience", handle: handleAudience },
};

function routeOf<Type extends InboundEvent["type"]>(event: {
	readonly type: Type;
}): Route<InboundEvent["type"]> {
	// The cast is safe because the key of the table is the type of the events that its route gets.
	return routes[event.type] as unknown as Route<InboundEvent["type"]>;
}

function isRouted(type: string): type is InboundEvent["type"] {
	return Object.hasOwn(routes, type);
}

/**
 * Returns the suffix of the queue for an event. An event with a suffix, for example an interaction, a stop or a
 * change of the audience, does not wait for earlier messages. Platforms limit the time to answer an interaction, and
 * a change of the audience must end trust at once.
 */
export function queueOf(event: InboundEvent): Queue {
	// The inbox stores an event of an unknown type, too; the router then logs it.
	return isRouted(event.type) ? routeOf(event).queue(event) : "";
}

/**
 * Returns the handler of the inbox, which routes each event by its type. A repeated call for the same event repeats
 * no effect.
 */
export function routeEvents(parts: EventParts): InboundHandler {
	return async ({ id, data }, { isRetry, isLast, settle, following }) => {
		const read = InboundEvent.safeParse(data);
		if (!read.success) {
			// A retry would fail in the same way.
			parts.log.error("an inbound event has an unknown form", { id, error: read.error });
			return;
		}
		const event = read.data;
		const turn = { id, key: hash("sha256", id, "base64url").slice(0, 22), isRetry, settle, following };
		try {
			await routeOf(event).handle(parts, event, turn);
		} catch (reason) {
			const error = ParleyError.from(reason);
			const { code, message } = error;
			// The gateway has rejected the connector's token. The event waits until the operator replaces the token.
			if (code === "unauthenticated") throw new ParleyError(message, { code: "unavailable", cause: reason });
			if (isLast && !isPassing(error)) await apologize(parts, event, id);
			throw reason;
		}
	};
}

/**
 * Plans the error reply to an inbound event. If the reply cannot be stored, rejects with `unavailable`, and the event
 * stays in the queue.
 */
async function apologize(parts: EventParts, event: InboundEvent, id: string): Promise<void> {
	const apology = routeOf(event).apology?.(parts, event);
	if (apology === undefined) return;
	const cursor = { session: `${eventCursor}${id}/aside`, seq: 1 };
	await parts.outbox.plan({ ...apology, cursor }).catch((cause: unknown) => {
		const { message } = ParleyError.from(cause);
		throw new ParleyError(`cannot store the error reply to inbound event ${id}: ${message}`, {
			code: "unavailable",
			cause,
		});
	});
}

function apologyInRoom(
	{ platform, clock }: EventParts,
	event: InboundEventOf<"message" | "edited">,
): Apology | undefined {
	const { room, message, seenBefore: replayed = false } = event;
	// The channel settings may be unavailable, so the usual settings apply. A message that does not address the agent
	// gets no reply.
	if (!isForUs(event, usualFacts).ours) return undefined;
	const now = replayed ? event.at : clock.now();
	const rows = roomAnswer({ text: messageTexts.notHandled }, { room, message, now }, platform);
	return { conversation: platform.conversation(room), rows, replayed };
}

function apologyInPrivate(
	{ platform, clock }: EventParts,
	{ ticket }: InboundEventOf<"command" | "press">,
): Apology {
	const rows = privateAnswer({ text: messageTexts.notDone }, { ticket, now: clock.now() }, platform);
	return { conversation: `ticket:${ticket.id}`, rows };
}

async function handleHome(parts: EventParts, event: InboundEventOf<"home">, turn: Turn): Promise<void> {
	const { context, platform, homes, log } = parts;
	const { person, room } = event;
	if (event.tab === "page") return homes.open(event, turn);
	if (platform.suggest === undefined) return;
	const prompts = await readSuggestions(context, person, room);
	if (prompts.length === 0) return;
	await platform.suggest(room, prompts).catch((reason: unknown) => {
		log.debug("the suggested prompts could not be shown", { error: ParleyError.from(reason) });
	});
}

async function handleAudience(
	{ context }: EventParts,
	event: InboundEventOf<"audience">,
	{ key }: Turn,
): Promise<void> {
	await suspendTrust(context, event, key);
	if (!event.deleted) return;
	const { tenant, channel } = event.room;
	const name = `${context.platform.name}:${tenant}:${channel}`;
	await context.gateway.request("forget_memory", { channel: name, key: `${key}/notes` });
}

function handleReopened(
	{ outbox, platform }: EventParts,
	{ room }: InboundEventOf<"reopened">,
): Promise<void> {
	return outbox.reopen(platform.conversation(room));
}
