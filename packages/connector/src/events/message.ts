import { defined, ParleyError } from "@parley/base";
import type { Kysely } from "kysely";
import { commandTable } from "../commands/command-table.ts";
import { isStopWord, isTextCommand, readTextCommand } from "../commands/text-command.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { PlannedRow } from "../outbox/plan.ts";
import type { InboundEventOf, ReadMessage } from "../platform/inbound-event.ts";
import { type AddressVerdict, isForUs, needsFacts, type Reason, usualFacts } from "../platform/is-for-us.ts";
import { replyToTask } from "../presses/tasks.ts";
import type { Reply } from "../rooms/handler-context.ts";
import { isRecorded } from "../rooms/message-records.ts";
import { requestRefusal } from "../rooms/refusal.ts";
import { eventCursor } from "../store/retention.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { answerTexts } from "../texts/answers.ts";
import { commandTexts } from "../texts/commands.ts";
import { messageTexts } from "../texts/messages.ts";
import { privateAnswer, roomAnswer } from "./answer-rows.ts";
import { handleEdit } from "./edit.ts";
import { findPost, taskOfThread } from "./find-post.ts";
import { findTask } from "./follow-up.ts";
import { type EventOutcome, type EventParts, outcomeOf, type Turn } from "./handler.ts";
import type { JoinedEvent, Reservation } from "./joins.ts";
import { homeOf, roomOfAnswer } from "./mention-thread.ts";
import { answerTyped, isTypedAnswer } from "./typed-answer.ts";

type Message = InboundEventOf<"message" | "edited">;

/** Handles a message or its edit, and records the result with its answer in one transaction. */
export async function handleMessage(parts: EventParts, event: Message, turn: Turn): Promise<void> {
	const reservation = parts.joins.reserve(event, turn);
	try {
		await handleReserved(parts, event, { turn, reservation });
	} finally {
		reservation.close();
	}
}

interface Handling {
	readonly turn: Turn;
	readonly reservation: Reservation;
}

async function handleReserved(
	parts: EventParts,
	received: Message,
	{ turn, reservation }: Handling,
): Promise<void> {
	if (await parts.joins.includes(turn)) return;
	// An earlier attempt, perhaps of an earlier process, has already recorded the message with its answer.
	if (turn.isRetry && (await parts.store.read((db) => isRecorded(db, turn.id)))) return;
	const event = { ...received, room: await homeOf(parts, received) };
	const { id } = turn;
	const { message } = event;
	const conversation = parts.platform.conversation(event.room);
	const version = defined({
		id,
		conversation,
		message,
		editedAt: event.type === "edited" ? event.at : undefined,
	});
	// A newer edit was already handled as the message. Stops are excluded, because stops have their own queue.
	if (!isStopWord(event.text) && (await parts.messageHistory.isOvertaken(version))) return;
	const edit = event.type === "edited" && !event.person.bot;
	const edited = edit ? await refused(parts, event, () => handleEdit(parts, event, turn)) : undefined;
	const { ours: addressed, reason } = await judge(parts, event);
	const outcome =
		edited ??
		(addressed
			? await refused(parts, event, () => handleOwnMessage(parts, event, { turn, reservation }))
			: undefined) ??
		({ effect: "none" } as const);
	parts.log.debug("a message was looked at", { id, message, reason, effect: outcome.effect });
	const room = outcome.room ?? event.room;
	const place = parts.platform.conversation(room);
	const { joined } = reservation;
	await note(parts, { ...event, room }, { turn, reason, outcome, conversation: place, joined });
}

async function judge({ rooms }: EventParts, event: Message): Promise<AddressVerdict> {
	const { person, room } = event;
	return isForUs(event, needsFacts(event) ? await rooms.facts(person, room) : usualFacts);
}

/** Resolves with the result of `work`, or with a reply if the gateway refuses. Rejects if a retry may succeed. */
async function refused(
	parts: EventParts,
	event: Message,
	work: () => Promise<EventOutcome | undefined>,
): Promise<EventOutcome | undefined> {
	try {
		return await work();
	} catch (reason) {
		const isDenied = ParleyError.from(reason).code === "permission_denied";
		const { isStranger = false, ...reply } = await requestRefusal(parts.context, event, reason);
		const onceEach = isStranger ? ("day" as const) : isDenied ? ("hour" as const) : undefined;
		// In direct messages, no other person reads the answer. A private answer would also disappear there.
		const isPrivate = isStranger && event.room.kind !== "direct" ? (true as const) : undefined;
		return {
			effect: "refused",
			reply,
			...defined({ onceEach, private: isPrivate, explainsAccess: isPrivate }),
		};
	}
}

interface Noted {
	readonly turn: Turn;
	readonly reason: Reason;
	readonly outcome: EventOutcome;
	readonly conversation: string;
	readonly joined: readonly JoinedEvent[];
}

async function note(
	parts: EventParts,
	event: Message,
	{ turn, reason, outcome, conversation, joined }: Noted,
): Promise<void> {
	const { store, outbox, clock, platform, messageHistory } = parts;
	const { room, message, person, at, seenBefore: replayed = false } = event;
	const { effect, reply, onceEach, text, session, run } = outcome;
	const now = clock.now();
	// If an earlier process answered the message, it did so directly after the message.
	const answeredAt = replayed ? at : now;
	const record = {
		id: turn.id,
		message,
		conversation,
		reason,
		effect,
		person,
		at,
		...defined({ text, session, run }),
	};
	const cursor = onceEach
		? await cursorOfPeriod(parts, onceEach, { name: `${room.tenant}:${person.id}`, at: answeredAt })
		: { session: `${eventCursor}${turn.id}`, seq: 1 };
	const write = async (tx: Kysely<ConnectorTables>): Promise<void> => {
		await messageHistory.write(tx, record);
		for (const { id, event: one } of joined) {
			const own = { id, message: one.message, person: one.person, at: one.at };
			await messageHistory.write(tx, { ...record, ...own, conversation: platform.conversation(one.room) });
		}
		await turn.settle(tx);
	};
	if (reply === undefined || cursor === undefined) return store.commit(write);
	const answer = answerOf(parts, event, { outcome, reply, now: answeredAt });
	const rows = answer.rows.map((row) => ({ ...row, seq: cursor.seq }));
	await outbox.plan({ conversation: answer.conversation ?? conversation, cursor, rows, replayed }, write);
}

/** Returns the rows of an answer, and their conversation if it differs from the room's conversation. */
function answerOf(
	{ platform, directNotices }: EventParts,
	{ room, person, message }: Message,
	{ outcome, reply, now }: { readonly outcome: EventOutcome; readonly reply: Reply; readonly now: number },
): { readonly rows: readonly PlannedRow[]; readonly conversation?: string } {
	if (outcome.explainsAccess && platform.explainsDirectly) {
		return { rows: directNotices.rows({ room, person: person.id, message, now }) };
	}
	const ticket = outcome.private ? platform.ticketOf?.({ room, person, message }) : undefined;
	if (ticket === undefined) return { rows: roomAnswer(reply, { room, message, now }, platform) };
	return { rows: privateAnswer(reply, { ticket, now }, platform), conversation: `ticket:${ticket.id}` };
}

/** Handles a message that is for the agent, and resolves with the result. Rejects with the gateway's refusal. */
async function handleOwnMessage(
	parts: EventParts,
	event: Message,
	{ turn, reservation }: Handling,
): Promise<EventOutcome> {
	const { reply } = event.address;
	const post = reply && (await findPost(parts, reply.message));
	const named = (await taskOfThread(parts, event.room)) ?? post?.task;
	if (isStopWord(event.text)) return stopHere(parts, event, { turn, task: named });
	await parts.welcomes.atMessage(event);
	const { task, continues } = named === undefined ? {} : await findTask(parts, event, named);
	return (
		(await runTextCommand(parts, event, turn)) ??
		greet(event) ??
		(await answerTyped(parts, event, { turn, post, task })) ??
		(task === undefined
			? sendToSession(parts, event, { turn, reservation, continues })
			: sendToTask(parts, event, { turn, task }))
	);
}

async function stopHere(
	{ context }: EventParts,
	{ person, room, at, text }: Message,
	{ turn: { key }, task }: { readonly turn: Turn; readonly task: string | undefined },
): Promise<EventOutcome> {
	if (task !== undefined) {
		const cancelled = { task_id: task, key, ...context.onBehalf(person, room) };
		const { status } = await context.gateway.request("cancel_task", cancelled);
		if (status === "cancelled") return { effect: "stopped" };
		// The task has already ended, but a follow-up in its thread may be running.
	}
	if (!(await context.stop(person, room, { key, at }))) return nothingToStop;
	// A text command gets a reply, because the end of the answer only edits an earlier post.
	return { effect: "stopped", ...defined({ reply: isTextCommand(text) ? stoppedReply : undefined }) };
}

const stoppedReply = { text: commandTexts.stop.stopped };

const nothingToStop: EventOutcome = {
	effect: "nothing-to-stop",
	reply: { text: commandTexts.stop.idle },
};

async function runTextCommand(
	{ context }: EventParts,
	event: Message,
	{ key }: Turn,
): Promise<EventOutcome | undefined> {
	const ordered = readTextCommand(event.text, commandTable);
	if (ordered === undefined) return undefined;
	if ("problem" in ordered) return { effect: "refused", reply: { text: ordered.problem } };
	const { command, options } = ordered;
	const { room, person, at, attachments, message } = event;
	const { reply } = event.address;
	const commandEvent = {
		type: "command" as const,
		command: command.name,
		options,
		room,
		person,
		at,
		attachments,
		...defined({ target: reply ? { message: reply.message, text: "" } : undefined }),
	};
	const answer = await command.run(context, { event: commandEvent, key, message });
	return { effect: "command", ...defined({ reply: answer, private: answer?.private }) };
}

function greet({ text, attachments, referenced = [] }: Message): EventOutcome | undefined {
	const isReference = referenced.some(({ ours }) => !ours);
	if (text.trim() !== "" || attachments.length > 0 || isReference) return undefined;
	return { effect: "greeted", reply: { text: messageTexts.greeting } };
}

async function sendToTask(
	{ context }: EventParts,
	{ person, room, text }: Message,
	{ turn: { key }, task }: { readonly turn: Turn; readonly task: string },
): Promise<EventOutcome> {
	const reply = await replyToTask(context, { taskId: task, text, person, room, key });
	return { effect: reply ? "refused" : "replied", ...defined({ reply }) };
}

async function sendToSession(
	parts: EventParts,
	event: Message,
	{ turn, reservation, continues }: Handling & { readonly continues: ReadMessage | undefined },
): Promise<EventOutcome> {
	const { messageHistory, platform, context, rooms } = parts;
	const { person, at } = event;
	const content = await reservation.join((other) => belongs(parts, other));
	const conversation = platform.conversation(event.room);
	const room = await roomOfAnswer(parts, event);
	const isStillNeeded = async (): Promise<boolean> => {
		// If each person has a separate conversation, other people cannot stop the author's conversation.
		const isOwn = room.kind !== "direct" && (await rooms.facts(person, room)).sessions === "person";
		const stop = { conversation, since: at, ...defined({ by: isOwn ? person.id : undefined }) };
		return !(await messageHistory.wasStopped(stop));
	};
	const key = `${turn.key}/say`;
	const words = { ...content, at, key, isStillNeeded, ...defined({ continues }) };
	const sent = await context.send(person, room, words).catch(async (reason: unknown) => {
		if (ParleyError.from(reason).code === "resource_exhausted")
			await postQueueFull(parts, { ...event, room });
		throw reason;
	});
	const outcome = { ...outcomeOf(sent), room };
	return sent.sent ? outcome : { ...outcome, effect: sent.failures.length > 0 ? "refused" : "withdrawn" };
}

/** Whether a message would be a request in the session of its room. */
async function belongs(parts: EventParts, event: Message): Promise<boolean> {
	const { ours } = await judge(parts, event);
	if (!ours) return false;
	const { reply } = event.address;
	const post = reply && (await findPost(parts, reply.message));
	if (post?.question !== undefined || post?.task !== undefined) return false;
	return !(await isTypedAnswer(parts, event));
}

/** Answers that the queue is full, at most once an hour in a conversation. */
async function postQueueFull(parts: EventParts, event: Message): Promise<void> {
	const { outbox, platform, clock } = parts;
	const { room, message, at, seenBefore: replayed = false } = event;
	const conversation = platform.conversation(room);
	const now = replayed ? at : clock.now();
	const cursor = await cursorOfPeriod(parts, "full", { name: conversation, at: now });
	if (cursor === undefined) return;
	const reply = { text: answerTexts.queue.full };
	const rows = roomAnswer(reply, { room, message, now }, platform);
	const moved = rows.map((row) => ({ ...row, seq: cursor.seq }));
	await outbox.plan({ conversation, cursor, rows: moved, replayed });
}

const hourMs = 3_600_000;

const periods = {
	hour: { prefix: "refused", ms: hourMs },
	day: { prefix: "stranger", ms: 24 * hourMs },
	full: { prefix: "full", ms: hourMs },
} as const;

/**
 * Returns a cursor that moves at most once in a period; undefined if the cursor has already moved in the
 * period of `at`.
 */
async function cursorOfPeriod(
	{ outbox }: { readonly outbox: Outbox },
	period: keyof typeof periods,
	{ name, at }: { readonly name: string; readonly at: number },
): Promise<{ readonly session: string; readonly seq: number } | undefined> {
	const { prefix, ms } = periods[period];
	const session = `${eventCursor}${prefix}:${name}`;
	const seq = Math.floor(at / ms);
	return (await outbox.cursor(session)) < seq ? { session, seq } : undefined;
}
