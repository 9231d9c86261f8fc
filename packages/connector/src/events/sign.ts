import { type ErrorCode, ParleyError } from "@parley/base";
import type { ControlTarget } from "../controls/controls.ts";
import type { InboundEventOf } from "../platform/inbound-event.ts";
import { pressesOfAnswers } from "../presses/answers.ts";
import type { Reply } from "../rooms/handler-context.ts";
import { endTrust } from "../rooms/suspend-trust.ts";
import { eventCursor } from "../store/retention.ts";
import { trustTexts } from "../texts/trust.ts";
import { roomAnswer } from "./answer-rows.ts";
import { cancelRun, runOfMessage } from "./edit.ts";
import { findPost } from "./find-post.ts";
import type { EventParts, Turn } from "./handler.ts";
import { homeOf } from "./mention-thread.ts";

/**
 * Cancels the run of a deleted message. If the run had not ended, also ends the trust in the room, because platforms do
 * not report who deleted the message.
 */
export async function handleDeleted(
	parts: EventParts,
	event: InboundEventOf<"deleted">,
	{ key }: Turn,
): Promise<void> {
	const { message } = event;
	const room = await homeOf(parts, event);
	const found = await runOfMessage(parts, room, message);
	if (found === undefined) return;
	const isCancelled = await quietly(parts, event.type, () => cancelRun(parts, room, { ...found, key }));
	if (isCancelled) await endTrust(parts.context, room, { reason: trustTexts.ends.messageDeleted, key });
}

/** Stops the active runs that the person can stop in the room. */
export async function handleStop(
	parts: EventParts,
	{ type, person, room, at }: InboundEventOf<"stop">,
	{ key }: Turn,
): Promise<void> {
	await quietly(parts, type, () => parts.context.stop(person, room, { key, at }));
}

/** Renames the current conversation of the thread. Ignores a title from a bot. */
export async function handleRetitled(
	parts: EventParts,
	{ type, person, room, title }: InboundEventOf<"retitled">,
	{ key }: Turn,
): Promise<void> {
	const { context } = parts;
	if (person.bot) return;
	await quietly(parts, type, async () => {
		const current = (await context.sessions(person, room)).find((each) => each.current);
		// The platform also reports titles that the connector has set.
		if (current === undefined || current.title === title) return;
		await context.follow(current.session);
		const renamed = { session_id: current.session, title, key: `${key}/rename` };
		await context.gateway.request("rename_session", { ...renamed, ...context.onBehalf(person, room) });
	});
}

/**
 * Handles a reaction to a message like a press of the matching button below the answer. `good` and `bad` have an effect
 * only on an answer, because people also praise each other's messages.
 */
export async function handleReaction(
	parts: EventParts,
	received: InboundEventOf<"reaction">,
	turn: Turn,
): Promise<void> {
	const event = { ...received, room: await homeOf(parts, received) };
	const reply = await quietly(parts, event.type, () => react(parts, event, turn));
	if (reply === undefined) return;
	const { room, message } = event;
	const { clock, platform, outbox } = parts;
	const rows = roomAnswer(reply, { room, message, now: clock.now() }, platform);
	const cursor = { session: `${eventCursor}${turn.id}`, seq: 1 };
	const conversation = platform.conversation(room);
	await outbox.plan({ conversation, cursor, rows }, turn.settle);
}

async function react(
	parts: EventParts,
	event: InboundEventOf<"reaction">,
	{ key }: Turn,
): Promise<Reply | undefined> {
	const { sign, person, room, message, at } = event;
	const target = await targetOf(parts, event);
	if (target === undefined || person.bot) return undefined;
	await parts.subscriptions.follow(target.session);
	const press = {
		type: "press" as const,
		room,
		person,
		at,
		message,
		values: [],
		fields: {},
		control: parts.controls.write(target),
	};
	const reply = await pressesOfAnswers[sign](parts.context, { event: press, key }, target);
	// Only `again` gets a reply in the room. After `stop`, the post of the answer shows that the run was stopped.
	return target.kind === "again" ? reply : undefined;
}

async function targetOf(
	parts: EventParts,
	{ sign, room, message }: InboundEventOf<"reaction">,
): Promise<ControlTarget | undefined> {
	if (sign === "good" || sign === "bad") {
		const answer = (await findPost(parts, message))?.answer;
		return answer && { kind: sign, session: answer.session, subject: answer.run };
	}
	const found = await runOfMessage(parts, room, message);
	if (found) return { kind: sign, session: found.session, subject: found.run };
	return (await findPost(parts, message))?.controls.find(({ kind }) => kind === sign);
}

/** Codes of refusals: the person has no permission, or there is nothing to stop or to rate. */
const refusals: ReadonlySet<ErrorCode> = new Set([
	"permission_denied" as const,
	"not_found" as const,
	"failed_precondition" as const,
]);

/**
 * Resolves with the result of `work`. If `work` is refused, logs the refusal without an answer, because the person
 * does not wait for one.
 */
async function quietly<Value>(
	parts: EventParts,
	event: "deleted" | "stop" | "retitled" | "reaction",
	work: () => Promise<Value>,
): Promise<Value | undefined> {
	try {
		return await work();
	} catch (reason) {
		const { code, message } = ParleyError.from(reason);
		if (!refusals.has(code)) throw reason;
		parts.log.info("an event was refused", { event, reason: message });
		return undefined;
	}
}
