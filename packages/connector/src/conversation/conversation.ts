import { type AnswersSlice, answers } from "./answers/answers.ts";
import { type QuestionsSlice, questions } from "./questions/questions.ts";
import { cardWith } from "./tasks/task-state.ts";
import { type TasksSlice, tasks } from "./tasks/tasks.ts";
import { type TrustSlice, trust } from "./trust/trust.ts";
import type { RecordedEvent, Scene } from "./vocabulary/reducer.ts";
import type { RenderOperation } from "./vocabulary/render-operation.ts";

/** What a session looks like to those who talk to it, kept as JSON beside the session's cursor. */
export interface ConversationState {
	/** Of another version: the session is told from its beginning. */
	readonly v: 1;
	readonly answers: AnswersSlice;
	readonly questions: QuestionsSlice;
	readonly tasks: TasksSlice;
	readonly trust: TrustSlice;
}

export const emptyConversation: ConversationState = {
	v: 1,
	answers: answers.empty,
	questions: questions.empty,
	tasks: tasks.empty,
	trust: trust.empty,
};

/** Whether something that people were shown is still to come to its end: an answer, a question, a task. */
export function isExpecting({ answers, questions, tasks }: ConversationState): boolean {
	return answers.open.length > 0 || questions.open.length > 0 || tasks.live.length > 0;
}

/** Who has said or read something there lately may come back to it; nobody is called for what lies longer. */
const recentMs = 24 * 3_600_000;

/** In a room that has something to do with it: cards are closed by those parts that have shown them. */
function deletion(state: ConversationState, { event, at }: RecordedEvent): readonly RenderOperation[] {
	if (event.event !== "session.deleted") return [];
	const { usedAt = Number.NEGATIVE_INFINITY } = state.answers;
	if (!isExpecting(state) && at - usedAt >= recentMs) return [];
	const text = "This conversation was deleted. What you write next begins another one.";
	return [{ type: "show", lane: "milestone", text }];
}

/** What an event makes of a conversation, and what of it people are to see, in order. Pure. */
export function reduceConversation(
	state: ConversationState,
	recorded: RecordedEvent,
	scene: Scene,
): { readonly state: ConversationState; readonly operations: readonly RenderOperation[] } {
	const taskOf = (id: string): string | undefined => cardWith(state.tasks, id)?.id;
	const steps = {
		answers: answers.reduce(state.answers, recorded, scene),
		questions: questions.reduce(state.questions, recorded, { ...scene, taskOf }),
		tasks: tasks.reduce(state.tasks, recorded, scene),
		trust: trust.reduce(state.trust, recorded, scene),
	};
	return {
		state: {
			v: 1,
			answers: steps.answers.slice,
			questions: steps.questions.slice,
			tasks: steps.tasks.slice,
			trust: steps.trust.slice,
		},
		operations: [
			...Object.values(steps).flatMap(({ operations }) => operations),
			...deletion(state, recorded),
		],
	};
}
