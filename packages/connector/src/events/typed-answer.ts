import { readDecision, readTypedAnswer } from "../conversation/questions/typed-answer.ts";
import type { InboundEventOf } from "../platform/inbound-event.ts";
import { giveTyped, type QuestionAnswer, questionOf, readText } from "../presses/questions.ts";
import type { Reply } from "../rooms/handler-context.ts";
import { readTypedRecord, type TypedRecord, writeTypedRecord } from "../rooms/typed-records.ts";
import { questionTexts } from "../texts/questions.ts";
import type { OwnPost } from "./find-post.ts";
import type { EventParts, Outcome, Turn } from "./handler.ts";
import { onlyPromptOf } from "./open-prompt.ts";

type Message = InboundEventOf<"message" | "edited">;

interface Context {
	readonly turn: Turn;
	/** The post of ours that the message replies to. */
	readonly post: OwnPost | undefined;
	/** The task of the thread. */
	readonly task: string | undefined;
}

/** A message with the question that it answers, or the reply to a text that does not answer it. */
type Reading = Omit<TypedRecord, "event"> | { readonly session: string; readonly reply: Reply };

/**
 * Answers the question that a message answers: the one of the post that it replies to, or else the only open one of its
 * thread. Undefined for any other message, which is then for the agent. The answer is stored before the gateway gets it,
 * and a repetition gives the same answer again.
 */
export async function answerTyped(
	parts: EventParts,
	event: Message,
	{ turn, post, task }: Context,
): Promise<Outcome | undefined> {
	const stored = turn.isAgain ? await parts.store.read((db) => readTypedRecord(db, turn.id)) : undefined;
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
	const given = await giveTyped(context, answering, response);
	if (given.type === "given") return { effect: "answered", session, reply: acknowledgement(response) };
	// It was closed meanwhile.
	if (given.type === "late") return undefined;
	// In a thread, the message may have meant the agent.
	if (given.denied && !isReply) return undefined;
	return refused(session, given.reply);
}

/** Whether a message outside of replies answers the only open question of its thread, or would be a wrong answer to it. */
export async function isTypedAnswer(parts: EventParts, event: Message): Promise<boolean> {
	return (await readInThread(parts, event, undefined)) !== undefined;
}

function refused(session: string, reply: Reply): Outcome {
	return { effect: "refused", session, reply, private: true };
}

function answeringOf({ person, room }: Message, { key }: Turn): Omit<QuestionAnswer, "session" | "token"> {
	return { person, room, key };
}

/** Only a message as its author first wrote it answers: files would be lost. */
function isOwnText({ type, forwarded, attachments }: Message): boolean {
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
	// A password is not for the agent, however it was written.
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

function acknowledgement({ value, cancelled }: TypedRecord["response"]): Reply {
	const { typed } = questionTexts;
	if (cancelled) return { text: typed.denied };
	return { text: value === "once" || value === "session" ? typed.approved : typed.answered };
}
