import { defined, ParleyError } from "@parley/base";
import type { MethodResult } from "@parley/protocol";
import type { ControlTarget } from "../controls/controls.ts";
import { completeQuestion } from "../conversation/questions/complete-question.ts";
import { plainMarkdown } from "../conversation/questions/markdown.ts";
import { type OpenQuestion, readChanges, versionOf } from "../conversation/questions/question.ts";
import { closedQuestion, openQuestions, replyCardOf } from "../conversation/questions/questions.ts";
import { readQuestion } from "../conversation/questions/read-question.ts";
import {
	type Response,
	readTypedAnswer,
	type TypedResponse,
} from "../conversation/questions/typed-answer.ts";
import { refusalWithoutIds } from "../conversation/vocabulary/without-ids.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";
import { approvalTexts } from "../texts/approvals.ts";
import { questionTexts } from "../texts/questions.ts";
import type { PressHandler, PressHandlers } from "./press.ts";

const { replies: texts } = questionTexts;

export interface QuestionAnswer {
	readonly person: Person;
	readonly room: Room;
	readonly key: string;
	readonly token: string;
	readonly session: string;
}

type Answering = Omit<QuestionAnswer, "key">;

/** Handlers for the controls of questions. The card of a question shows the result of an accepted answer. */
export const pressesOfQuestions: PressHandlers<
	"approve" | "approve-session" | "deny" | "details" | "answer" | "choose" | "skip" | "secret"
> = {
	approve: approving("once"),
	"approve-session": approving("session"),
	deny: giving(({ fields }) => {
		const reason = fields["reason"]?.trim() ?? "";
		return { cancelled: true, ...defined({ reason: reason || undefined }) };
	}),
	skip: giving(() => ({ cancelled: true })),
	details: (context, handled, target) => showComplete(context, answeringOf(handled, target)),
	answer: (context, handled, target) =>
		answerByForm(context, answeringOf(handled, target), handled.event.fields["text"] ?? ""),
	choose: (context, handled, target) => choose(context, answeringOf(handled, target), handled.event.values),
	secret: (context, handled, target) => openPage(context, answeringOf(handled, target)),
};

async function answerByForm(
	context: HandlerContext,
	answering: QuestionAnswer,
	text: string,
): Promise<Reply | undefined> {
	const read = readText(context, answering, text);
	return "reply" in read ? read.reply : sendAnswer(context, read.answering, read.response);
}

/** An answer with its question, or the reply to an invalid answer. */
export type ReadText =
	| { readonly answering: QuestionAnswer; readonly response: TypedResponse }
	| { readonly reply: Reply };

/**
 * Reads a text as an answer: `approve`, `deny: REASON`, or a value. The text is from a form, or from a reply to a
 * question's post. If the post shows several calls, the text has no effect, because it does not show which calls
 * the person has read.
 */
export function readText(context: HandlerContext, answering: QuestionAnswer, text: string): ReadText {
	const slice = context.session(answering.session)?.state.questions;
	const rows = (slice && replyCardOf(slice, answering.token)?.rows) ?? [];
	if (rows.length > 1) {
		if (rows.every(({ ended }) => ended)) return { reply: { text: approvalTexts.all.closed } };
		const command = context.platform.command("approvals", answering.room);
		return { reply: { text: approvalTexts.typed.severalCalls({ calls: rows.length, command }) } };
	}
	const closed = whyClosed(context, answering);
	if (closed) return { reply: closed };
	const typed = readTypedAnswer(questionOf(context, answering), text);
	if ("response" in typed) return { answering, response: typed.response };
	return {
		reply: {
			text: typed.help,
			...defined({ controls: typed.again ? retryControls(context, answering) : undefined }),
		},
	};
}

/** Result of a typed answer. `late`: the question was already closed. */
export type Given =
	| { readonly type: "given" }
	| { readonly type: "late" }
	| { readonly type: "refused"; readonly reply: Reply; readonly denied: boolean };

/**
 * Sends an answer that a person typed in a message. A repeat with the same key has the same result and no further
 * effect, even if the question was closed in the meantime.
 */
export async function sendTypedAnswer(
	context: HandlerContext,
	answering: QuestionAnswer,
	response: TypedResponse,
): Promise<Given> {
	const { person, room, key, session, token } = answering;
	try {
		const params = { token, key, ...response, typed: true, ...context.onBehalf(person, room) };
		const { late } = await context.gateway.request("prompt_response", params, { sessionId: session });
		return { type: late ? "late" : "given" };
	} catch (reason) {
		const { code } = ParleyError.from(reason);
		if (code === "not_found") return { type: "late" };
		const reply = answerRefusal(context, answering, reason);
		return { type: "refused", reply, denied: code === "permission_denied" };
	}
}

function giving(responseOf: (event: HandledEvent<"press">["event"]) => Response): PressHandler {
	return (context, handled, target) =>
		sendAnswer(context, answeringOf(handled, target), responseOf(handled.event));
}

/** Returns a handler that approves a call, unless the call has changed since the post was shown. */
function approving(value: "once" | "session"): PressHandler {
	return async (context, handled, target) => {
		const [token = "", version] = target.subject.split(".");
		const answering = answeringOf(handled, { ...target, subject: token });
		try {
			const isRead = version === undefined || closedOf(context, answering) !== undefined;
			const question =
				questionOf(context, answering) ?? (isRead ? undefined : await askFor(context, answering));
			const hasChanged = version !== undefined && question && versionOf(question) !== version;
			if (hasChanged) return { text: approvalTexts.changed };
			return await sendAnswer(context, answering, { value, ...readChanges(question) });
		} catch (reason) {
			return answerRefusal(context, answering, reason);
		}
	};
}

/**
 * Requests a question from the gateway, because the event of the question has not arrived here. Returns undefined
 * if the question is closed.
 */
async function askFor(context: HandlerContext, answering: Answering): Promise<OpenQuestion | undefined> {
	const prompt = await findPrompt(context, answering);
	return prompt && readQuestion(prompt, context.platform.limits);
}

/** Returns the question that a press answers, and the person who pressed. */
export function answeringOf(
	{ event: { person, room }, key }: HandledEvent<"press">,
	{ session, subject: token }: ControlTarget,
): QuestionAnswer {
	return { person, room, key, session, token };
}

/**
 * Sends an answer to the gateway. Returns undefined if the answer was recorded, because the card then shows the
 * answer. If the answer was not recorded, returns a reply with the reason. Rejects with errors that do not concern
 * the answer.
 */
export async function sendAnswer(
	context: HandlerContext,
	answering: QuestionAnswer,
	response: Response,
): Promise<Reply | undefined> {
	const { person, room, key, session, token } = answering;
	const closed = whyClosed(context, answering);
	if (closed) return closed;
	try {
		const params = { token, key, ...response, ...context.onBehalf(person, room) };
		await context.gateway.request("prompt_response", params, { sessionId: session });
	} catch (reason) {
		return answerRefusal(context, answering, reason);
	}
	// The gateway uses the first answer, and accepts later answers without effect.
	const outcome = closedOf(context, answering);
	const own = `${context.platform.name}:${room.tenant}:${person.id}`;
	return outcome === undefined || outcome.by === own ? undefined : whyClosed(context, answering);
}

async function choose(
	context: HandlerContext,
	answering: QuestionAnswer,
	chosen: readonly string[],
): Promise<Reply | undefined> {
	const question = questionOf(context, answering);
	if (!question) return whyClosed(context, answering) ?? { text: texts.gone };
	const values = chosen.flatMap((index) => question.options[Number(index)]?.value ?? []);
	return sendAnswer(context, answering, question.kind === "multi" ? { values } : { value: values[0] ?? "" });
}

async function showComplete(context: HandlerContext, answering: QuestionAnswer): Promise<Reply> {
	try {
		const prompt = await findPrompt(context, answering);
		return prompt
			? { text: completeQuestion(prompt, context) }
			: (whyClosed(context, answering) ?? { text: texts.gone });
	} catch (reason) {
		return answerRefusal(context, answering, reason);
	}
}

/** Returns a complete open question for a person who may see it; undefined if the question is closed. */
export async function findPrompt(
	context: HandlerContext,
	{ person, room, session, token }: Answering,
): Promise<MethodResult<"list_prompts">["prompts"][number] | undefined> {
	const params = { token, session_id: session, ...context.onBehalf(person, room) };
	const { prompts } = await context.gateway.request("list_prompts", params, { sessionId: session });
	return prompts.find((one) => one.token === token);
}

/**
 * Returns the number of approvals that a call requires, if the call still waits after an approval. Returns undefined if
 * the call is decided, or requires only one approval.
 */
export async function awaitedApprovals(
	context: HandlerContext,
	answering: Answering,
	question: OpenQuestion | undefined,
): Promise<number | undefined> {
	const needed = question?.call?.approvals ?? 1;
	const waits = needed > 1 && (await findPrompt(context, answering)) !== undefined;
	return waits ? needed : undefined;
}

async function openPage(context: HandlerContext, answering: QuestionAnswer): Promise<Reply> {
	const { person, room, key, session, token } = answering;
	const closed = whyClosed(context, answering);
	if (closed) return closed;
	try {
		const params = { token, key, ...context.onBehalf(person, room) };
		const { url, expires_at } = await context.gateway.request("secret_page", params, { sessionId: session });
		const expires = context.platform.moment(Date.parse(expires_at), context.clock.now());
		return {
			text: texts.page({ expires }),
			controls: [[{ type: "link", url, label: questionTexts.buttons.openPage }]],
		};
	} catch (reason) {
		if (ParleyError.from(reason).code !== "unimplemented") return answerRefusal(context, answering, reason);
		return { text: texts.noPage };
	}
}

/**
 * Returns a reply for the author of an answer that the gateway refused. Rethrows errors that do not concern the
 * answer.
 */
export function answerRefusal(context: HandlerContext, answering: Answering, reason: unknown): Reply {
	const words = refusalWords(context, answering, reason);
	switch (ParleyError.from(reason).code) {
		case "permission_denied":
			return { text: texts.refused({ reason: words }) };
		case "invalid_argument":
			return {
				text: texts.invalid({
					reason: words,
					isApproval: questionOf(context, answering)?.kind === "approval",
				}),
				...defined({ controls: retryControls(context, answering) }),
			};
		case "not_found":
			return whyClosed(context, answering) ?? { text: texts.gone };
		default:
			throw reason;
	}
}

/** Returns the gateway's refusal as Markdown for the person. */
export function refusalWords(
	{ platform }: HandlerContext,
	{ person, room }: { readonly person: Person; readonly room: Room },
	reason: unknown,
): string {
	const { message } = ParleyError.from(reason);
	const refused = { platform: platform.name, tenant: room.tenant, person };
	return plainMarkdown(refusalWithoutIds(message.replace(/^(?:forbidden|invalid params): /u, ""), refused));
}

/**
 * Returns a button that opens the form again, because a form cannot show its errors. Returns undefined for a
 * question without a form.
 */
function retryControls(context: HandlerContext, answering: Answering): Reply["controls"] {
	const { session, token } = answering;
	const kind = questionOf(context, answering)?.kind ?? "approval";
	if (kind !== "text" && kind !== "select" && kind !== "multi") return undefined;
	const id = context.controls.write({ kind: "answer", session, subject: token });
	const label = questionTexts.buttons.answerAgain;
	return [[{ type: "button", id, label, style: "primary" }]];
}

/** Returns the question of an answer, if it is open according to this connector's events. */
export function questionOf(
	context: HandlerContext,
	{ session, token }: Pick<QuestionAnswer, "session" | "token">,
): OpenQuestion | undefined {
	const slice = context.session(session)?.state.questions;
	return slice && openQuestions(slice).find((question) => question.token === token);
}

function closedOf(context: HandlerContext, { session, token }: Answering): ReturnType<typeof closedQuestion> {
	const slice = context.session(session)?.state.questions;
	return slice && closedQuestion(slice, token);
}

/** Returns a reply with the result of a recently closed question; undefined for an open or unknown question. */
export function whyClosed(context: HandlerContext, answering: Answering): Reply | undefined {
	const closed = closedOf(context, answering);
	if (!closed) return;
	const { by, outcome } = closed;
	return { text: by === undefined ? texts.closed({ outcome }) : texts.answered({ outcome }) };
}
