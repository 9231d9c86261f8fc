import { defined } from "@parley/base";
import type { EventPayloads } from "@parley/protocol";
import { answerTexts } from "../../texts/answers.ts";
import type { ReducerStep, Scene } from "../vocabulary/reducer.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { showRetryOver } from "./cards.ts";
import { grownPost } from "./control.ts";
import {
	earlierTexts,
	openCalls,
	withAnswer,
	withCall,
	withEnd,
	withQuestion,
	withText,
} from "./run-parts.ts";
import { type AnswersSlice, withChange } from "./runs.ts";

/** Records the start or the end of a tool call in the active run. */
export function toolCalled(
	slice: AnswersSlice,
	{ at, payload }: { readonly at: number; readonly payload: EventPayloads["tool.call"] },
): AnswersSlice {
	const [run] = slice.open;
	if (run === undefined) return slice;
	const { call_id: id, name } = payload;
	const parts =
		payload.status === "started"
			? withCall(run.parts ?? [], { id, name, input: payload.arguments, at })
			: withEnd(run.parts ?? [], { id, at, failed: payload.status === "failed" });
	return withChange(slice, { ...run, parts });
}

/**
 * Completes the current post of the answer if a tool call of the active run asks the question. The answer then grows
 * below the question.
 */
export function openedQuestion(
	slice: AnswersSlice,
	{ token, context }: EventPayloads["prompt.request"],
	scene: Scene,
): ReducerStep<AnswersSlice> {
	const [run] = slice.open;
	const parts = run && withQuestion(run.parts ?? [], { call: context.call_id, token });
	if (run === undefined || parts === undefined) return { slice, operations: [] };
	const texts = earlierTexts(parts, "");
	const { questions = 0 } = run;
	const next = { ...run, parts: openCalls(parts), questions: questions + 1 };
	const reply = defined({ replyTo: run.message });
	const text: ShowOperation = {
		type: "show",
		lane: "milestone",
		text: texts.join("\n\n"),
		...grownPost(run, scene),
		...reply,
	};
	return { slice: withChange(slice, next), operations: texts.length === 0 ? [] : [text] };
}

export function answeredQuestion(slice: AnswersSlice, token: string, at: number): AnswersSlice {
	const run = slice.open.find(({ parts = [] }) =>
		parts.some((part) => part.type === "call" && part.waits === token),
	);
	if (run === undefined) return slice;
	return withChange(slice, { ...run, parts: withAnswer(run.parts ?? [], { token, at }) });
}

/** Records the text of the reply and closes the card of retries after a successful model call. */
export function reduceModelCall(
	slice: AnswersSlice,
	{ run_id, phase, error, text }: EventPayloads["internal.llm.call"],
	scene: Scene,
): ReducerStep<AnswersSlice> {
	const run = slice.open.find(({ id }) => id === run_id);
	if (run === undefined || phase === "start" || error !== "") return { slice, operations: [] };
	const isOver = run.retrying === true;
	if (!isOver && text === undefined) return { slice, operations: [] };
	const parts = text === undefined ? run.parts : withText(run.parts ?? [], text);
	const changed = { ...run, ...defined({ parts, retrying: isOver ? false : undefined }) };
	return {
		slice: withChange(slice, changed),
		operations: isOver ? showRetryOver(run, answerTexts.retry.recovered, scene) : [],
	};
}
