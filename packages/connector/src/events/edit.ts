import { defined, ParleyError } from "@parley/base";
import { runOf } from "../conversation/answers/runs.ts";
import type { InboundEventOf, Person, Room } from "../platform/inbound-event.ts";
import { type Effect, readMessageRecords } from "../rooms/message-records.ts";
import { recentMs } from "../subscription/subscriptions.ts";
import { answerTexts } from "../texts/answers.ts";
import { messageTexts } from "../texts/messages.ts";
import { type EventOutcome, type EventParts, outcomeOf, type Turn } from "./handler.ts";

/** A run with the author of its message. */
export interface MessageRun {
	readonly session: string;
	readonly run: string;
	readonly person: Person;
}

/** Returns the run of a message; undefined if the message started no run, or is too old. */
export async function runOfMessage(
	{ store, platform, subscriptions, rooms, clock }: EventParts,
	room: Room,
	message: string,
): Promise<MessageRun | undefined> {
	const conversation = platform.conversation(room);
	const versions = await store.read((db) => readMessageRecords(db, { conversation, message, limit: 20 }));
	const sent = versions.find(({ session, run }) => session !== undefined && run !== undefined);
	if (sent?.session !== undefined && sent.run !== undefined) {
		return { session: sent.session, run: sent.run, person: sent.person };
	}
	await subscriptions.ready;
	// After a loss of the database, only the sessions contain the newest runs.
	for (const { id, usedAt } of rooms.knownIn(room)) {
		const isRecent = clock.now() - usedAt < recentMs;
		const read = isRecent ? await subscriptions.follow(id).catch(absent) : subscriptions.session(id);
		const state = read?.state.answers;
		const run = state && runOf(state, message);
		if (run?.author) return { session: id, run: run.id, person: personOf(run.author) };
	}
	return undefined;
}

/** Returns undefined for the error `not_found`, which means that the session is deleted. Throws any other error. */
function absent(reason: unknown): undefined {
	if (ParleyError.from(reason).code !== "not_found") throw reason;
	return undefined;
}

/**
 * Handles the edit of a message. Returns undefined if the message neither started a run nor was handled in another
 * way, for example as a command. The edit is then handled as a new message.
 */
export async function handleEdit(
	parts: EventParts,
	event: InboundEventOf<"edited">,
	{ key }: Turn,
): Promise<EventOutcome | undefined> {
	const { context, controls, subscriptions } = parts;
	const { room, person, message, text, attachments, referenced, at } = event;
	const target = await runOfMessage(parts, room, message);
	if (target === undefined) return (await isDone(parts, room, message)) ? { effect: "too-late" } : undefined;
	const { session, run } = target;
	await subscriptions.follow(session);
	if (await removeFromQueue(parts, { ...target, room, key: `${key}/cancel` })) {
		const words = { text, message, attachments, at, key: `${key}/say`, ...defined({ referenced }) };
		const sent = await context.send(person, room, words);
		return outcomeOf(sent);
	}
	const id = controls.write({ kind: "rerun", session, subject: message });
	const rerun = { type: "button", id, label: answerTexts.buttons.rerun, style: "primary" } as const;
	const reply = { text: messageTexts.edited, controls: [[rerun]] };
	return { effect: "edited", session, run, text, reply };
}

/**
 * Whether the message was a command, an answer to a question, a message to a task, or a stop. An edit of such a message
 * is ignored.
 */
async function isDone({ store, platform }: EventParts, room: Room, message: string): Promise<boolean> {
	const conversation = platform.conversation(room);
	const versions = await store.read((db) => readMessageRecords(db, { conversation, message, limit: 20 }));
	return versions.some(({ effect }) => done.has(effect));
}

const done: ReadonlySet<Effect> = new Set([
	"command" as const,
	"answered" as const,
	"replied" as const,
	"stopped" as const,
	"nothing-to-stop" as const,
	"too-late" as const,
]);

/** Removes a queued message from the queue. Returns false if the run of the message has started. */
async function removeFromQueue(
	{ context }: EventParts,
	{ session, run, room, person, key }: MessageRun & { readonly room: Room; readonly key: string },
): Promise<boolean> {
	const behalf = context.onBehalf(person, room);
	const { state, said: answer } = await context.gateway.request("explain", {
		session_id: session,
		run_id: run,
		...behalf,
	});
	// An earlier attempt may have cancelled the run. For the same key, the gateway then returns the result of
	// that attempt.
	if (state !== "queued" && answer?.error !== "cancelled") return false;
	const { status } = await context.gateway.request(
		"cancel_turn",
		{ run_id: run, key, ...behalf },
		{ sessionId: session },
	);
	return status === "cancelled";
}

/** Returns a person with only the data that the gateway stores. */
function personOf({ id, name }: { readonly id: string; readonly name: string }): Person {
	return { id: id.split(":").at(-1) ?? id, name, roles: [], guest: false, bot: false };
}

/** Cancels the run that a deleted message started. Returns false if the run had already ended. */
export async function cancelRun(
	{ context, subscriptions }: EventParts,
	room: Room,
	{ session, run, person, key }: MessageRun & { readonly key: string },
): Promise<boolean> {
	await subscriptions.follow(session);
	const cancelled = { run_id: run, key, ...context.onBehalf(person, room) };
	const { status } = await context.gateway.request("cancel_turn", cancelled, { sessionId: session });
	return status === "cancelled";
}
