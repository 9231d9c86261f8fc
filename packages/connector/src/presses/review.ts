import { defined, definedItems } from "@parley/base";
import type { ControlTarget } from "../controls/controls.ts";
import { completeQuestion } from "../conversation/questions/complete-question.ts";
import { buttonOf, callButtons, callLine } from "../conversation/questions/draw-reply-card.ts";
import { replyCardOf } from "../conversation/questions/questions.ts";
import { readQuestion } from "../conversation/questions/read-question.ts";
import { type CardRow, type ReplyCard, writeDisplayed } from "../conversation/questions/reply-cards.ts";
import { whatOf } from "../conversation/questions/short-card.ts";
import type { Control } from "../platform/posting.ts";
import type { HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";
import { approvalTexts } from "../texts/approvals.ts";
import type { PressHandlers } from "./press.ts";
import { answerRefusal, findPrompt, questionOf } from "./questions.ts";

const { all: texts, buttons: labels } = approvalTexts;

/** Maximum number of calls with their own row of buttons. For more calls, the post has a choice instead. */
const maxRows = 4;

/** Handlers that show the complete calls of a card to the person who pressed, with buttons for each call. */
export const pressesOfReviews: PressHandlers<"review" | "review-all" | "review-call"> = {
	review: (context, handled, target) => review(context, handled, { target }),
	"review-all": (context, handled, target) => review(context, handled, { target, above: texts.review }),
	"review-call": async (context, { event }, { session, subject }) => {
		const [token = ""] = event.values;
		const row = cardOf(context, { session, subject })?.rows.find((one) => one.token === token);
		const shown = row && (await showWaiting(context, event, { row, session }));
		if (!shown) return { text: texts.callClosed };
		return { text: shown.text, controls: [shown.buttons] };
	},
};

interface Reviewing {
	readonly target: ControlTarget;
	/** First paragraph of the post. */
	readonly above?: string;
}

async function review(
	context: HandlerContext,
	{ event }: HandledEvent<"press">,
	{ target: { session, subject }, above }: Reviewing,
): Promise<Reply> {
	const { person, room } = event;
	const card = cardOf(context, { session, subject });
	if (!card) return { text: texts.closed };
	const parts: string[] = [];
	const waiting: Shown[] = [];
	for (const row of card.rows) {
		try {
			const shown = row.ended ? undefined : await showWaiting(context, event, { row, session });
			if (shown) waiting.push(shown);
			const { ended } = row;
			parts.push(...definedItems([shown?.text ?? (ended && `${lineOf(row)}\n\n${ended.outcome}`)]));
		} catch (reason) {
			return answerRefusal(context, { person, room, session, token: row.token }, reason);
		}
	}
	if (parts.length === 0) return { text: texts.closed };
	const paragraphs = waiting.length === 0 ? parts : definedItems([above, ...parts]);
	const controls = controlsOf(context, { card, waiting, session });
	return {
		text: paragraphs.join("\n\n"),
		...defined({ controls: controls.length > 0 ? controls : undefined }),
	};
}

function cardOf(
	context: HandlerContext,
	{ session, subject }: { readonly session: string; readonly subject: string },
): ReplyCard | undefined {
	const slice = context.session(session)?.state.questions;
	const [token = ""] = subject.split(".");
	return slice && replyCardOf(slice, token);
}

interface Shown {
	readonly row: CardRow;
	readonly text: string;
	readonly isCritical: boolean;
	/**
	 * Whether a person can still change the arguments while further approvals are missing. After such a change,
	 * this post would show outdated arguments.
	 */
	readonly canChange: boolean;
	readonly line: string;
	readonly buttons: readonly Control[];
}

/** Returns the complete text of a call, or undefined if the call no longer waits for a decision. */
async function showWaiting(
	context: HandlerContext,
	{ person, room }: HandledEvent<"press">["event"],
	{ row, session }: { readonly row: CardRow; readonly session: string },
): Promise<Shown | undefined> {
	const { token, number } = row;
	const prompt = await findPrompt(context, { person, room, session, token });
	const question = questionOf(context, { session, token });
	if (!prompt || !question) return undefined;
	// A press is compared with the stored question. A question that an earlier version stored has no hash, so
	// its button uses the stored form.
	const bound = question.call?.hash === undefined ? question : readQuestion(prompt, context.platform.limits);
	return {
		row,
		text: `**${number}.** ${completeQuestion(prompt, context)}`,
		isCritical: question.call?.risk === "critical",
		canChange: question.call?.editable === true && question.call.approvals !== undefined,
		line: `${number}. ${question.call?.tool ?? ""} · ${whatOf(question.label.text)}`,
		buttons: callButtons({ row, question: bound }, { ...context, session }),
	};
}

function lineOf(row: CardRow): string {
	return `**${row.number}.** ${callLine({ row, question: undefined })}`;
}

interface Choosing {
	readonly card: ReplyCard;
	readonly waiting: readonly Shown[];
	readonly session: string;
}

function controlsOf(
	context: HandlerContext,
	{ card, waiting, session }: Choosing,
): readonly (readonly Control[])[] {
	const scene = { ...context, session };
	if (waiting.length === 0) return [];
	// One row is reserved for the buttons for all calls.
	const maximum = Math.min(maxRows, context.platform.limits.controlRows - 1);
	const each =
		waiting.length <= maximum
			? waiting.map(({ buttons }) => buttons)
			: [[choiceOf(context, { card, waiting, session })]];
	if (waiting.length === 1) return each;
	const subjectOf = (shown: readonly Shown[]): string =>
		writeDisplayed(card, new Set(shown.map(({ row }) => row.token)));
	const approvable = waiting.filter(({ isCritical, canChange }) => !isCritical && !canChange);
	const approve = { subject: subjectOf(approvable), label: labels.approveAll };
	return [
		...each,
		definedItems([
			approvable.length === 0 ? undefined : buttonOf("approve-all", approve, scene),
			buttonOf("deny-all", { subject: subjectOf(waiting), label: labels.denyAll }, scene),
		]),
	];
}

function choiceOf({ controls }: HandlerContext, { card, waiting, session }: Choosing): Control {
	return {
		type: "choice",
		id: controls.write({ kind: "review-call", session, subject: card.rows[0].token }),
		placeholder: labels.chooseCall,
		options: waiting.map(({ row, line }) => ({
			value: row.token,
			label: line,
			description: "",
			chosen: false,
		})),
		minimum: 1,
		maximum: 1,
	};
}
