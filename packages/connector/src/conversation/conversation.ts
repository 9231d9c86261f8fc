import { conversationTexts } from "../texts/conversations.ts";
import { answers } from "./answers/answers.ts";
import { showMoved } from "./answers/cards.ts";
import type { AnswersSlice } from "./answers/runs.ts";
import { type QuestionsSlice, questions, waitsForOf } from "./questions/questions.ts";
import { findTaskOfCard } from "./tasks/task-state.ts";
import { type TasksSlice, tasks } from "./tasks/tasks.ts";
import { type TrustSlice, trust } from "./trust/trust.ts";
import type { RecordedEvent, Scene } from "./vocabulary/reducer.ts";
import type { RenderOperation } from "./vocabulary/render-operation.ts";

/** Rendered state of a session, stored as JSON with its cursor. */
export interface ConversationState {
	/**
	 * Version of the state. A state with another version is discarded, and the session is reduced again from its first
	 * event.
	 */
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

/** Whether a visible answer, question or task is still open. */
export function isExpecting({ answers, questions, tasks }: ConversationState): boolean {
	return answers.open.length > 0 || questions.open.length > 0 || tasks.live.length > 0;
}

/**
 * Maximum age in milliseconds of a session's last message or answer. After that, the deletion of the session is
 * posted only if the session has open work.
 */
const recentMs = 24 * 3_600_000;

/**
 * Returns the post about the deletion of a session. Returns no post if the session has neither open work nor recent
 * activity. Reducers close their own cards.
 */
function deletion(state: ConversationState, { event, at }: RecordedEvent): readonly RenderOperation[] {
	if (event.event !== "session.deleted") return [];
	const { usedAt = Number.NEGATIVE_INFINITY } = state.answers;
	if (!isExpecting(state) && at - usedAt >= recentMs) return [];
	return [{ type: "show", lane: "milestone", state: "closed", text: conversationTexts.deleted }];
}

/** Whether an event opens or closes a question. Notices of queued messages mention an open question. */
function isOfQuestion({ event }: RecordedEvent): boolean {
	return ["prompt.request", "prompt.response", "prompt.closed"].includes(event.event);
}

/** Reduces one event to the new state and the operations, in order. The function is pure. */
export function reduceConversation(
	state: ConversationState,
	recorded: RecordedEvent,
	surroundings: Scene,
): { readonly state: ConversationState; readonly operations: readonly RenderOperation[] } {
	const scene: Scene = { ...surroundings, at: recorded.at };
	const taskOf = (id: string): string | undefined => findTaskOfCard(state.tasks, id)?.id;
	const questionsStep = questions.reduce(state.questions, recorded, { ...scene, taskOf });
	const waiting: Scene = { ...scene, waitsFor: waitsForOf(questionsStep.slice) };
	const steps = {
		answers: answers.reduce(state.answers, recorded, waiting),
		questions: questionsStep,
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
			...(isOfQuestion(recorded) && waitsForOf(state.questions) !== waiting.waitsFor
				? showMoved(steps.answers.slice.open, 1, waiting)
				: []),
			...deletion(state, recorded),
		],
	};
}
