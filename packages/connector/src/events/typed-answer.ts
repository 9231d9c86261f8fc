import { ParleyError } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import { cardOf, type OpenQuestion } from "../conversation/questions/question.ts";
import { openQuestions, replyCardOf } from "../conversation/questions/questions.ts";
import { readDecision, readTypedAnswer } from "../conversation/questions/typed-answer.ts";
import type { InboundEventOf, Room } from "../platform/inbound-event.ts";
import {
	awaitedApprovals,
	type QuestionAnswer,
	questionOf,
	readText,
	sendTypedAnswer,
} from "../presses/questions.ts";
import type { Reply } from "../rooms/handler-context.ts";
import { readTypedRecord, type TypedRecord, writeTypedRecord } from "../rooms/typed-records.ts";
import type { KnownSession } from "../subscription/known-sessions.ts";
import type { RoomSession } from "../subscription/session-subscription.ts";
import { recentMs } from "../subscription/subscriptions.ts";
import { approvalTexts } from "../texts/approvals.ts";
import { questionTexts } from "../texts/questions.ts";
import type { OwnPost } from "./find-post.ts";
import type { EventOutcome, EventParts, Turn } from "./handler.ts";

type Message = InboundEventOf<"message" | "edited">;

interface Context {
	readonly turn: Turn;
	/** The connector's post that the message replies to. */
	readonly post: OwnPost | undefined;
	/** Id of the task of the thread. */
	readonly task: string | undefined;
}

/** A question with its answer from a message, or the reply to an invalid answer. */
type Reading = Omit<TypedRecord, "event"> | { readonly session: string; readonly reply: Reply };

/**
 * Sends a message as the answer to a question. If the message replies to the post of a question, it answers this
 * question. Otherwise, it answers the only open question of its thread or of the direct messages. Returns undefined
 * if the message is not an answer, but is for the agent. The answer is stored before the gateway gets it, and a
 * retry sends the same answer again.
 */
export async function answerTyped(
	parts: EventParts,
	event: Message,
	{ turn, post, task }: Context,
): Promise<EventOutcome | undefined> {
	const stored = turn.isRetry ? await parts.store.read((db) => readTypedRecord(db, turn.id)) : undefined;
	const isReply = post?.question !== undefined;
	const reading =
		stored ??
		(isReply ? await readReply(parts, event, { turn, post }) : await readInThread(parts, event, task));
	if (reading === undefined) return undefined;
	if ("reply" in reading) return refused(reading.session, reading.reply);
	const { session, token, response } = reading;
	const { store, clock, context, subscriptions } = parts;
	if (stored === undefined) {
		const typed = { event: turn.id, session, token, response };
		await store.commit((tx) => writeTypedRecord(tx, typed, clock.now()));
	}
	await subscriptions.follow(session);
	const answering = { ...answeringOf(event, turn), session, token };
	const question = questionOf(context, answering);
	const given = await sendTypedAnswer(context, answering, response);
	if (given.type === "given") {
		const reply = await acknowledgement(response, () => awaitedApprovals(context, answering, question));
		return { effect: "answered", session, reply };
	}
	// The question has been closed since the message was received.
	if (given.type === "late") return undefined;
	// In a thread, the message may be a request to the agent instead of an answer.
	if (given.denied && !isReply) return undefined;
	return refused(session, given.reply);
}

/**
 * Whether a message answers the only open question of its thread or of the direct messages. The message must not be
 * a reply. True even if the answer is invalid.
 */
export async function isTypedAnswer(parts: EventParts, event: Message): Promise<boolean> {
	return (await readInThread(parts, event, undefined)) !== undefined;
}

function refused(session: string, reply: Reply): EventOutcome {
	return { effect: "refused", session, reply, private: true };
}

function answeringOf({ person, room }: Message, { key }: Turn): Omit<QuestionAnswer, "session" | "token"> {
	return { person, room, key };
}

function isOwnText({ type, forwarded, attachments }: Message): boolean {
	// An answer cannot contain files, forwarded messages or edits.
	return type === "message" && forwarded !== true && attachments.length === 0;
}

async function readReply(
	parts: EventParts,
	event: Message,
	{ turn, post }: Pick<Context, "turn" | "post">,
): Promise<Reading | undefined> {
	if (post?.question === undefined) return undefined;
	const { session, token } = post.question;
	await parts.subscriptions.follow(session);
	const answering = { ...answeringOf(event, turn), session, token };
	// A password never goes to the agent, even as an edited or forwarded text.
	const isSecret = questionOf(parts.context, answering)?.kind === "password";
	if (!isSecret && event.type === "edited") return { session, reply: { text: questionTexts.typed.edited } };
	if (!isSecret && !isOwnText(event)) return undefined;
	const read = readText(parts.context, answering, event.text);
	if ("reply" in read) return { session, reply: read.reply };
	return { session, token: read.answering.token, response: read.response };
}

async function readInThread(
	parts: EventParts,
	event: Message,
	task: string | undefined,
): Promise<Reading | undefined> {
	if (!isOwnText(event)) return undefined;
	const only = await onlyPromptOf(parts, event, task);
	if (only === undefined) return undefined;
	const { session, question, isOwnTask, alwaysAsk } = only;
	const { kind, token, call } = question;
	if (kind === "password" || kind === "grant") return undefined;
	if (kind === "approval") {
		const response = alwaysAsk ? undefined : readDecision(event.text, call?.allowSession === true);
		return response && { session, token, response };
	}
	if (!isOwnTask) return undefined;
	const typed = readTypedAnswer(question, event.text);
	if ("help" in typed) return { session, reply: { text: typed.help } };
	return { session, token, response: typed.response };
}

/**
 * Returns a reply to an accepted answer. `awaited` resolves with the number of required approvals, if the call still
 * waits.
 */
async function acknowledgement(
	{ value, cancelled }: TypedRecord["response"],
	awaited: () => Promise<number | undefined>,
): Promise<Reply> {
	const { typed } = questionTexts;
	if (cancelled) return { text: typed.denied };
	if (value !== "once" && value !== "session") return { text: typed.answered };
	const needed = await awaited();
	return { text: needed === undefined ? typed.approved : approvalTexts.list.counted({ needed }) };
}

interface OnlyPrompt {
	readonly session: string;
	readonly question: OpenQuestion;
	/** Whether the question belongs to a request of the message's author. */
	readonly isOwnTask: boolean;
	/** Whether only a button may answer the question. */
	readonly alwaysAsk: boolean;
}

type Listed = MethodResult<"list_prompts">["prompts"][number];

const maxListed = 50;

/**
 * Returns the only open question that a message can answer, if the card of the question was posted before the
 * message. Returns undefined if several questions are open, and in a channel outside of threads. The gateway
 * confirms that no other question is open.
 */
async function onlyPromptOf(
	parts: EventParts,
	event: Message,
	task: string | undefined,
): Promise<OnlyPrompt | undefined> {
	const { room, person, at } = event;
	if (room.thread === undefined && room.kind !== "direct") return undefined;
	const [only, ...others] = await openIn(parts, room, task);
	if (only === undefined || others.length > 0) return undefined;
	const { session, question, card } = only;
	if (card === undefined || !(await wasPostedBefore(parts, card, at))) return undefined;
	const params = { session_id: session, limit: maxListed, ...parts.context.onBehalf(person, room) };
	const listed = await parts.context.gateway
		.request("list_prompts", params)
		.then(({ prompts }) => prompts, absent);
	const known = new Set(only.known);
	const isKnown = listed.every(({ token }) => known.has(token));
	const found = listed.find(({ token }) => token === question.token);
	if (!isKnown || found === undefined) return undefined;
	const own = `${parts.platform.name}:${room.tenant}:${person.id}`;
	return { session, question, isOwnTask: found.person === own, alwaysAsk: found.always_ask };
}

/** Returns an empty list if the session is deleted or the person may not read it. Throws any other error. */
function absent(reason: unknown): readonly Listed[] {
	const { code } = ParleyError.from(reason);
	if (code === "permission_denied" || code === "not_found") return [];
	throw reason;
}

interface Found {
	readonly session: string;
	readonly question: OpenQuestion;
	/** Card of the question; undefined if the card also shows other calls. */
	readonly card: string | undefined;
	/** Tokens of all open questions of the session. */
	readonly known: readonly string[];
}

/**
 * Returns the open questions that have their cards in the room. With `task`, these are the questions of the task.
 * Without it, these are the questions of the room's sessions, except questions of tasks that have their own
 * threads.
 */
async function openIn(parts: EventParts, room: Room, task: string | undefined): Promise<readonly Found[]> {
	const { rooms, subscriptions, platform } = parts;
	await subscriptions.ready;
	const { thread, ...channel } = room;
	const hasTaskThreads = thread === undefined && (platform.hasThreads?.(room) ?? true);
	const isHere = (question: OpenQuestion): boolean =>
		task === undefined ? !(hasTaskThreads && question.task) : question.task === task;
	const found: Found[] = [];
	for (const known of rooms.knownIn(task === undefined ? room : channel)) {
		const read = (await mayAsk(parts, known)) && (await subscriptions.follow(known.id).catch(deleted));
		if (read) found.push(...questionsOf(read, isHere));
	}
	return found;
}

/**
 * Whether a session may have an open question. True also for recent and current sessions, because a connector that
 * has just started might not read them yet.
 */
async function mayAsk({ rooms, subscriptions, clock }: EventParts, known: KnownSession): Promise<boolean> {
	if (subscriptions.session(known.id) !== undefined) return true;
	return clock.now() - known.usedAt < recentMs || rooms.isCurrent(known.key);
}

function deleted(reason: unknown): undefined {
	if (ParleyError.from(reason).code !== "not_found") throw reason;
	return undefined;
}

function questionsOf(
	{ session, state: { questions } }: RoomSession,
	isHere: (question: OpenQuestion) => boolean,
): readonly Found[] {
	const open = openQuestions(questions);
	const known = open.map(({ token }) => token);
	return open.filter(isHere).map((question) => {
		const rows = replyCardOf(questions, question.token)?.rows ?? [];
		return { session, question, known, card: rows.length > 1 ? undefined : cardOf(question.token) };
	});
}

async function wasPostedBefore({ store, platform }: EventParts, card: string, at: number): Promise<boolean> {
	const row = await store.read((db) =>
		db.selectFrom("cards").select("remote").where("card", "=", card).executeTakeFirst(),
	);
	return row !== undefined && platform.postedAt(row.remote) < at;
}
