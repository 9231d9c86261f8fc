import { ParleyError } from "@parley/base";
import { runOf } from "../conversation/answers/runs.ts";
import type { InboundEventOf, Person, Room } from "../platform/inbound-event.ts";
import { type Effect, readMessageRecords } from "../rooms/message-records.ts";
import { recentMs } from "../subscription/subscriptions.ts";
import { type EventParts, type Outcome, outcomeOf, type Turn } from "./handler.ts";

/** The run that answers a message, and who asked for it. */
export interface MessageRun {
	readonly session: string;
	readonly run: string;
	readonly person: Person;
}

/** What a message has started; undefined where it has started nothing, or that is long ago. */
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
	// Where the database was lost the sessions remember their newest runs, as soon as they were read again.
	for (const { id, usedAt } of rooms.knownIn(room)) {
		const isRecent = clock.now() - usedAt < recentMs;
		const read = isRecent ? await subscriptions.follow(id).catch(absent) : subscriptions.session(id);
		const state = read?.state.answers;
		const run = state && runOf(state, message);
		if (run?.author) return { session: id, run: run.id, person: personOf(run.author) };
	}
	return undefined;
}

/** Somebody has deleted the session. */
function absent(reason: unknown): undefined {
	if (ParleyError.from(reason).code !== "not_found") throw reason;
	return undefined;
}

/** What an edit comes to of a message that was sent before; undefined where it was not, so that it is a message now. */
export async function handleEdit(
	parts: EventParts,
	event: InboundEventOf<"edited">,
	{ key }: Turn,
): Promise<Outcome | undefined> {
	const { context, controls, subscriptions } = parts;
	const { room, person, message, text, attachments } = event;
	const asked = await runOfMessage(parts, room, message);
	if (asked === undefined) return (await isDone(parts, room, message)) ? { effect: "too-late" } : undefined;
	const { session, run } = asked;
	await subscriptions.follow(session);
	if (await isTakenBack(parts, { ...asked, room, key: `${key}/cancel` })) {
		const said = await context.send(person, room, { text, message, attachments, key: `${key}/say` });
		return outcomeOf(said);
	}
	const id = controls.write({ kind: "rerun", session, subject: message });
	const rerun = { type: "button", id, label: "Answer the edited text", style: "primary" } as const;
	const reply = { text: "I had this before you edited it.", controls: [[rerun]] };
	return { effect: "edited", session, run, text, reply };
}

/** Whether it was a command, an answer or a stop: once done, it is not done again because its words have changed. */
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

/** Takes what was asked out of the line; false where its turn has come. */
async function isTakenBack(
	{ context }: EventParts,
	{ session, run, room, person, key }: MessageRun & { readonly room: Room; readonly key: string },
): Promise<boolean> {
	const behalf = context.onBehalf(person, room);
	const { state, said } = await context.gateway.request("explain", {
		session_id: session,
		run_id: run,
		...behalf,
	});
	// Where this is handled for the second time, the first one may have ended it: the gateway knows that by the key.
	if (state !== "queued" && said?.error !== "cancelled") return false;
	const { status } = await context.gateway.request(
		"cancel_turn",
		{ run_id: run, key, ...behalf },
		{ sessionId: session },
	);
	return status === "cancelled";
}

/** Of a person that the gateway names as much as is needed to act for them. */
function personOf({ id, name }: { readonly id: string; readonly name: string }): Person {
	return { id: id.split(":").at(-1) ?? id, name, roles: [], guest: false, bot: false };
}

/** Ends what a message has started, because it was deleted or marked so. False where nothing was at work. */
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
