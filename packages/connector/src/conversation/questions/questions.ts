import { defined } from "@parley/base";
import type { EventPayloads, NoticePayload } from "@parley/protocol";
import { questionTexts } from "../../texts/questions.ts";
import type { RecordedEvent, Reducer, ReducerStep, Scene, WaitsFor } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { withName } from "./approver-name.ts";
import { Cut } from "./cut.ts";
import { callLine, drawReplyCard, maxEndedLabel } from "./draw-reply-card.ts";
import { noticesOf } from "./notices.ts";
import { answeredOutcome, detailLine, type QuestionOutcome, unansweredOutcome } from "./outcome.ts";
import { type ClosedQuestion, cardOf, type OpenQuestion } from "./question.ts";
import { closedCard, openCard, reminder } from "./question-card.ts";
import { readQuestion } from "./read-question.ts";
import {
	addToCard,
	changeRow,
	endRow,
	findReplyCard,
	isOfReply,
	isRepeated,
	newestCards,
	type ReplyCard,
	type ReplyQuestion,
	raisedWith,
} from "./reply-cards.ts";

/**
 * Maximum number of calls on one card, because one post shows the details of all calls on the card. A button also
 * encodes its calls as the bits of a number, which is exact up to 53 bits.
 */
const maxCallsOfCard = 25;
const maxOpen = 200;
const maxClosed = 50;
/** Maximum length of each stored text about a closed question, in UTF-16 code units. */
const maxRemembered = 200;

/** State of the questions. Each list begins with its oldest entry. */
export interface QuestionsSlice {
	readonly open: readonly OpenQuestion[];
	readonly closed: readonly ClosedQuestion[];
	/** Cards of replies. Absent until an approval names its reply. */
	readonly cards?: readonly ReplyCard[];
}

/**
 * Reducer for approvals and other questions. Approvals of one reply share cards. Each other question has its
 * own card.
 */
export const questions: Reducer<QuestionsSlice> = {
	empty: { open: [], closed: [] },
	reduce(slice, recorded, scene) {
		const { event, at } = recorded;
		switch (event.event) {
			case "prompt.request":
				return ask(slice, event.payload, scene);
			case "prompt.vote":
				return vote(slice, event.payload, scene);
			case "prompt.response":
				return answer(slice, event.payload, { at, scene });
			case "prompt.closed": {
				const { token } = event.payload;
				return close(slice, token, { at, scene }, (question) =>
					unansweredOutcome(question, event.payload, at, scene),
				);
			}
			case "prompt.reminder":
				return remind(slice, event.payload, scene);
			case "session.deleted":
				return closeAll(slice, recorded, scene);
			default:
				return { slice, operations: [] };
		}
	},
};

/** Returns the open questions, the oldest first. */
export function openQuestions({ open }: QuestionsSlice): readonly OpenQuestion[] {
	return open;
}

/**
 * Returns the kind of the oldest question for which the run of the conversation waits, or undefined without such a
 * question. The run does not wait for trust requests or for questions of tasks.
 */
export function waitsForOf({ open }: QuestionsSlice): WaitsFor | undefined {
	const first = open.find(({ task, kind }) => task === undefined && kind !== "grant");
	if (first === undefined) return undefined;
	if (first.kind === "approval") return "approval";
	return first.kind === "password" ? "secret" : "question";
}

export function questionOfPost({ open }: QuestionsSlice, card: string): OpenQuestion | undefined {
	return open.find(({ token }) => cardOf(token) === card);
}

/**
 * Returns the result of the question `token` if it was recently answered or closed; undefined for other questions.
 */
export function closedQuestion({ closed }: QuestionsSlice, token: string): ClosedQuestion | undefined {
	return closed.find((question) => question.token === token);
}

/**
 * Returns the stored card that shows the approval `token`. Returns undefined for an approval without a known reply,
 * and for other questions. The card may have only one call.
 */
export function replyCardOf({ cards = [] }: QuestionsSlice, token: string): ReplyCard | undefined {
	return findReplyCard(cards, token);
}

type Change = ReducerStep<QuestionsSlice>;

function ask(slice: QuestionsSlice, payload: EventPayloads["prompt.request"], scene: Scene): Change {
	const isKnown = [...slice.open, ...slice.closed].some(({ token }) => token === payload.token);
	if (isKnown) return { slice, operations: [] };
	const { task: asking, ...read } = readQuestion(payload, scene.platform.limits);
	// A question of a worker belongs to the task of the card, because a worker has neither a card nor a thread.
	const task = asking === undefined || !scene.taskOf ? asking : scene.taskOf(asking);
	const question: OpenQuestion = { ...read, ...defined({ task }) };
	const { notify } = payload.context;
	if (isOfReply(question)) return askInReply(slice, question, { notify, scene });
	return {
		slice: { ...slice, open: [...slice.open, question].slice(-maxOpen) },
		operations: [openCard(question, scene), ...firstNotices(question, { notify, calls: 1 }, scene)],
	};
}

function firstNotices(
	question: OpenQuestion,
	{ notify, calls }: { readonly notify: NoticePayload | undefined; readonly calls: number },
	scene: Scene,
): ShowOperation[] {
	return notify ? noticesOf(question, { notify, kind: "waiting", count: 0, calls }, scene) : [];
}

function askInReply(
	slice: QuestionsSlice,
	raised: ReplyQuestion,
	{ notify, scene }: { readonly notify: NoticePayload | undefined; readonly scene: Scene },
): Change {
	const { cards: known = [], open: before } = slice;
	const question: ReplyQuestion = {
		...raised,
		...defined({ again: isRepeated(known, raised) ? (true as const) : undefined }),
	};
	const open = [...before, question].slice(-maxOpen);
	const { reply } = question;
	// The details let a person choose one of the calls, so the platform's maximum of options applies.
	const maximum = Math.min(maxCallsOfCard, scene.platform.limits.options);
	const fits = ({ rows }: ReplyCard): boolean => rows.length <= maximum;
	const cards = addToCard(known, question, fits);
	const after = { ...slice, open, cards };
	// The cards are shown with the last of the approvals that were requested together.
	if (reply.place < reply.count) return { slice: after, operations: [] };
	const shown = newestCards(cards, reply).map((card) => showCard(card, after, scene));
	const notices = firstNotices(question, { notify, calls: reply.count }, scene);
	return { slice: after, operations: [...shown, ...notices] };
}

function showCard(card: ReplyCard, { open }: QuestionsSlice, scene: Scene): ShowOperation {
	const [{ token }] = card.rows;
	// A single waiting call is shown like any other question.
	const question = card.rows.length === 1 ? open.find((one) => one.token === token) : undefined;
	return question ? openCard(question, scene) : drawReplyCard(card, open, scene);
}

function vote(slice: QuestionsSlice, payload: EventPayloads["prompt.vote"], scene: Scene): Change {
	const known = slice.open.find(({ token }) => token === payload.token);
	if (!known) return { slice, operations: [] };
	const { changed, by, approvals } = payload;
	const { task, reply, again, reminders } = known;
	// Changed arguments replace the call, and earlier approvals no longer apply.
	const read = changed ? readQuestion(changed, scene.platform.limits) : known;
	// The gateway drops the approvals of people who lost the right to approve, so the count in the event applies.
	const earlier =
		approvals > 1 ? (known.voters ?? []).filter((voter) => voter !== by).slice(1 - approvals) : [];
	const question: OpenQuestion = {
		...read,
		reminders,
		voters: [...earlier, by],
		...defined({ task, reply, again, editedBy: changed ? by : known.editedBy }),
		...defined({ names: withName(known.names, payload) }),
	};
	const cards = changed && slice.cards ? changeRow(slice.cards, question.token) : slice.cards;
	const open = slice.open.map((one) => (one === known ? question : one));
	const after = { ...slice, open, ...defined({ cards }) };
	const card = replyCardOf(after, question.token);
	return { slice: after, operations: [card ? showCard(card, after, scene) : openCard(question, scene)] };
}

function answer(
	slice: QuestionsSlice,
	payload: EventPayloads["prompt.response"],
	{ at, scene }: { readonly at: number; readonly scene: Scene },
): Change {
	return close(slice, payload.token, { at, scene }, (question) =>
		answeredOutcome(question, payload, at, scene.platform),
	);
}

function close(
	slice: QuestionsSlice,
	token: string,
	{ at, scene }: { readonly at: number; readonly scene: Scene },
	outcomeOf: (question: OpenQuestion) => QuestionOutcome,
): Change {
	const question = slice.open.find((one) => one.token === token);
	if (!question) return { slice, operations: [] };
	const outcome = outcomeOf(question);
	const { words, decision, detail, details, state, by } = outcome;
	const text = [words, ...details(new Cut(maxRemembered))].join("\n\n");
	const closed: ClosedQuestion = { token, outcome: text, ...defined({ by }) };
	const tool = question.call?.tool ?? "";
	const label = question.label.text.slice(0, maxRemembered);
	const stored = detail && detailLine(detail).slice(0, maxRemembered);
	const ended = { tool, label, outcome: text, state, decision, at, ...defined({ detail: stored }) };
	const after = {
		...slice,
		open: slice.open.filter((one) => one !== question),
		closed: [...slice.closed, closed].slice(-maxClosed),
		...defined({
			cards: slice.cards ? endRow(slice.cards, token, ended) : undefined,
		}),
	};
	const card = replyCardOf(after, token);
	const isShared = card !== undefined && card.rows.length > 1;
	const shown = isShared ? drawReplyCard(card, after.open, scene) : closedCard(question, outcome, scene);
	return { slice: after, operations: [shown] };
}

/** Shows a reminder of an open question. Approvals that were raised together share one reminder. */
function remind(
	slice: QuestionsSlice,
	{ token, notify }: EventPayloads["prompt.reminder"],
	scene: Scene,
): Change {
	const question = slice.open.find((one) => one.token === token);
	if (!question) return { slice, operations: [] };
	const reminded = { ...question, reminders: question.reminders + 1 };
	const after = { ...slice, open: slice.open.map((one) => (one === question ? reminded : one)) };
	const card = replyCardOf(slice, token);
	const together = card && card.rows.length > 1 ? raisedWith(card, token) : [];
	if (together.length > 0 && together[0]?.token !== token) return { slice: after, operations: [] };
	if (notify) {
		const kind = notify.escalated ? "escalated" : "reminder";
		const facts = { notify, kind, count: reminded.reminders, calls: Math.max(together.length, 1) } as const;
		return { slice: after, operations: noticesOf(reminded, facts, scene) };
	}
	const shown = cardOf(card?.rows[0].token ?? token);
	if (together.length === 0)
		return { slice: after, operations: [reminder(reminded, scene, { card: shown })] };
	const calls = together.map((row) => {
		const open = after.open.find((one) => one.token === row.token);
		return `**${row.number}.** ${callLine({ row, question: open }, maxEndedLabel)}`;
	});
	return { slice: after, operations: [reminder(reminded, scene, { card: shown, calls })] };
}

function closeAll(slice: QuestionsSlice, { at }: RecordedEvent, scene: Scene): Change {
	return slice.open.reduce<Change>(
		(change, { token }) => {
			const step = close(change.slice, token, { at, scene }, (question) =>
				unansweredOutcome(question, { reason: questionTexts.outcomes.conversationDeleted }, at, scene),
			);
			return { slice: step.slice, operations: [...change.operations, ...step.operations] };
		},
		{ slice, operations: [] },
	);
}
