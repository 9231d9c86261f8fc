import { defined, ParleyError } from "@parley/base";
import type { ControlTarget } from "../controls/controls.ts";
import { callLine } from "../conversation/questions/draw-reply-card.ts";
import { bullets } from "../conversation/questions/markdown.ts";
import { type OpenQuestion, readChanges } from "../conversation/questions/question.ts";
import { closedQuestion } from "../conversation/questions/questions.ts";
import { type CardRow, readDisplayed } from "../conversation/questions/reply-cards.ts";
import type { Response } from "../conversation/questions/typed-answer.ts";
import type { HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";
import { approvalTexts } from "../texts/approvals.ts";
import type { PressHandlers } from "./press.ts";
import { awaitedApprovals, refusalWords } from "./questions.ts";

const { all: texts } = approvalTexts;

/**
 * Handlers that approve or deny all calls that a button displays: see `writeDisplayed`. If a displayed call has
 * changed, no call is approved.
 */
export const pressesOfCards: PressHandlers<"approve-all" | "deny-all"> = {
	"approve-all": (context, handled, target) =>
		answerAll(context, handled, { target, verb: "approve", response: { value: "once" } }),
	"deny-all": (context, handled, target) => {
		const reason = handled.event.fields["reason"]?.trim() ?? "";
		const response = { cancelled: true, ...defined({ reason: reason || undefined }) };
		return answerAll(context, handled, { target, verb: "deny", response });
	},
};

interface Answering {
	readonly target: ControlTarget;
	readonly verb: "approve" | "deny";
	readonly response: Response;
}

/** Reason why the answer did not decide a call; undefined if the answer decided the call. */
type RefusalReason = string | undefined;

async function answerAll(
	context: HandlerContext,
	handled: HandledEvent<"press">,
	answering: Answering,
): Promise<Reply> {
	const { target, verb } = answering;
	const slice = context.session(target.session)?.state.questions;
	const rows = slice && readDisplayed(slice.cards ?? [], target.subject);
	if (!rows) return { text: texts.closed };
	const { displayed, others, changed } = rows;
	if (changed && verb === "approve") return { text: texts.changed };
	const done: string[] = [];
	const left: string[] = [];
	for (const row of displayed) {
		const question = slice.open.find(({ token }) => token === row.token);
		const why = await answerOne(context, handled, { ...answering, row, question });
		const line = `**${row.number}.** ${callLine({ row, question })}`;
		if (why === undefined) done.push(line);
		else left.push(`${line}: ${why}`);
	}
	for (const row of others) {
		const question = slice.open.find(({ token }) => token === row.token);
		if (question)
			left.push(`**${row.number}.** ${callLine({ row, question })}: ${whyOmitted(question, verb)}`);
	}
	const parts: string[] = [];
	if (done.length > 0) parts.push(texts.done[verb], bullets(done));
	if (left.length > 0) parts.push(texts.left[verb], bullets(left));
	return { text: parts.join("\n\n") };
}

/** Returns the reason why a button does not answer a waiting call of its card. */
function whyOmitted({ call }: OpenQuestion, verb: Answering["verb"]): string {
	if (verb === "deny") return texts.unseen;
	if (call?.risk === "critical") return texts.critical;
	return call?.editable === true && call.approvals !== undefined ? texts.changeable : texts.unseen;
}

interface AnsweringOne extends Answering {
	readonly row: CardRow;
	readonly question: OpenQuestion | undefined;
}

/**
 * Answers one call. Returns the reason if the answer did not decide the call; otherwise undefined. Rejects if the
 * gateway did not answer: the press is then retried.
 */
async function answerOne(
	context: HandlerContext,
	{ event: { person, room }, key }: HandledEvent<"press">,
	{ target: { session }, verb, response, row, question }: AnsweringOne,
): Promise<RefusalReason> {
	const { token, number } = row;
	if (verb === "approve" && question?.call?.risk === "critical") {
		return texts.critical;
	}
	if (!question && !row.ended) return texts.notShown;
	// Each call has a separate key, so that a retried press does not repeat answers.
	const read = verb === "approve" ? readChanges(question) : {};
	const params = { token, key: `${key}:${number}`, ...response, ...read, ...context.onBehalf(person, room) };
	try {
		const { late } = await context.gateway.request("prompt_response", params, { sessionId: session });
		if (!late) {
			if (verb === "deny") return undefined;
			const needed = await awaitedApprovals(context, { person, room, session, token }, question);
			return needed === undefined ? undefined : texts.counted({ needed });
		}
		const slice = context.session(session)?.state.questions;
		const outcome = slice && closedQuestion(slice, token)?.outcome;
		return outcome === undefined ? texts.notWaiting : texts.answered({ outcome });
	} catch (reason) {
		switch (ParleyError.from(reason).code) {
			case "permission_denied":
			case "invalid_argument":
				return refusalWords(context, { person, room }, reason);
			case "not_found":
				return texts.unknown;
			default:
				throw reason;
		}
	}
}
