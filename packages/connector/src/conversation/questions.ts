import type { EventPayloads } from "@parley/protocol";
import type { Part, Scene, Step, Told } from "./part.ts";
import { Cut } from "./questions/cut.ts";
import { answeredOutcome, type Outcome, unansweredOutcome } from "./questions/outcome.ts";
import { type ClosedQuestion, cardOf, codeOf, type OpenQuestion } from "./questions/question.ts";
import { closedCard, openCard, reminder } from "./questions/question-card.ts";
import { readQuestion } from "./questions/read-question.ts";

const mostOpen = 200;
const mostClosed = 50;
/** Of an answer, in UTF-16 code units. */
const mostRemembered = 200;

/** The oldest first, both. */
export interface QuestionsSlice {
	readonly open: readonly OpenQuestion[];
	readonly closed: readonly ClosedQuestion[];
}

/** Approvals and everything else that somebody is asked: a card each. */
export const questions: Part<QuestionsSlice> = {
	empty: { open: [], closed: [] },
	tell(slice, told, scene) {
		const { event, at } = told;
		switch (event.event) {
			case "prompt.request":
				return ask(slice, event.payload, scene);
			case "prompt.response":
				return answer(slice, event.payload, { at, scene });
			case "prompt.closed": {
				const { token, reason } = event.payload;
				return close(slice, token, scene, (question) =>
					unansweredOutcome(question, reason, at, scene.platform),
				);
			}
			case "prompt.reminder":
				return remind(slice, event.payload.token, scene);
			case "session.deleted":
				return closeAll(slice, told, scene);
			default:
				return { slice, intentions: [] };
		}
	},
};

/** Those that wait for an answer, the oldest first. */
export function openQuestions({ open }: QuestionsSlice): readonly OpenQuestion[] {
	return open;
}

/** The open question that people mean by a code, however they have written it. */
export function questionByCode({ open }: QuestionsSlice, code: string): OpenQuestion | undefined {
	const meant = code.trim().replace(/^#/u, "").toLowerCase();
	return open.findLast(({ token }) => token === meant || codeOf(token) === meant);
}

/** The open question that a card shows. */
export function questionOfPost({ open }: QuestionsSlice, card: string): OpenQuestion | undefined {
	return open.find(({ token }) => cardOf(token) === card);
}

/** What became of a question that was answered, or can be no more, as long as that is remembered. */
export function closedQuestion({ closed }: QuestionsSlice, token: string): ClosedQuestion | undefined {
	return closed.find((question) => question.token === token);
}

type Change = Step<QuestionsSlice>;

function ask(slice: QuestionsSlice, payload: EventPayloads["prompt.request"], scene: Scene): Change {
	const isKnown = [...slice.open, ...slice.closed].some(({ token }) => token === payload.token);
	if (isKnown) return { slice, intentions: [] };
	const { task: asking, ...read } = readQuestion(payload, scene.platform.limits.post);
	// The part of a task has neither card nor thread of its own.
	const task = asking === undefined || !scene.taskOf ? asking : scene.taskOf(asking);
	const question: OpenQuestion = { ...read, ...(task !== undefined && { task }) };
	return {
		slice: { ...slice, open: [...slice.open, question].slice(-mostOpen) },
		intentions: [openCard(question, scene)],
	};
}

function answer(
	slice: QuestionsSlice,
	payload: EventPayloads["prompt.response"],
	{ at, scene }: { readonly at: number; readonly scene: Scene },
): Change {
	return close(slice, payload.token, scene, (question) =>
		answeredOutcome(question, payload, at, scene.platform),
	);
}

function close(
	slice: QuestionsSlice,
	token: string,
	scene: Scene,
	outcomeOf: (question: OpenQuestion) => Outcome,
): Change {
	const question = slice.open.find((one) => one.token === token);
	if (!question) return { slice, intentions: [] };
	const outcome = outcomeOf(question);
	const { words, details, by } = outcome;
	const told = [words, ...details(new Cut(mostRemembered))].join("\n\n");
	const closed: ClosedQuestion = { token, outcome: told, ...(by !== undefined && { by }) };
	return {
		slice: {
			open: slice.open.filter((one) => one !== question),
			closed: [...slice.closed, closed].slice(-mostClosed),
		},
		intentions: [closedCard(question, outcome, scene)],
	};
}

function remind(slice: QuestionsSlice, token: string, scene: Scene): Change {
	const question = slice.open.find((one) => one.token === token);
	if (!question) return { slice, intentions: [] };
	const reminded = { ...question, reminders: question.reminders + 1 };
	return {
		slice: { ...slice, open: slice.open.map((one) => (one === question ? reminded : one)) },
		intentions: [reminder(reminded, scene)],
	};
}

function closeAll(slice: QuestionsSlice, { at }: Told, scene: Scene): Change {
	return slice.open.reduce<Change>(
		(change, { token }) => {
			const step = close(change.slice, token, scene, (question) =>
				unansweredOutcome(question, "the conversation was deleted", at, scene.platform),
			);
			return { slice: step.slice, intentions: [...change.intentions, ...step.intentions] };
		},
		{ slice, intentions: [] },
	);
}
