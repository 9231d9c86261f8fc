import { defined } from "@parley/base";
import { postOfAnswer, subjectOfPost } from "../../platform/answer-card.ts";
import type { Control } from "../../platform/posting.ts";
import { answerTexts } from "../../texts/answers.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { cardOfRun } from "./runs.ts";

const buttonStyles = {
	stop: { label: answerTexts.buttons.stop, style: "danger" },
	/** Stop button of a growing answer. Its own kind distinguishes the post from the notice of a queued message. */
	"stop-answer": { label: answerTexts.buttons.stop, style: "danger" },
	join: { label: answerTexts.buttons.join, style: "secondary" },
	again: { label: answerTexts.buttons.again, style: "secondary", emoji: "🔁" },
	good: { label: answerTexts.buttons.good, style: "secondary", emoji: "👍", rates: "good" },
	bad: { label: answerTexts.buttons.bad, style: "secondary", emoji: "👎", rates: "bad" },
} as const;

export function control(
	kind: keyof typeof buttonStyles,
	run: string,
	{ session, controls }: Scene,
): Extract<Control, { type: "button" }> {
	return { type: "button", id: controls.write({ kind, session, subject: run }), ...buttonStyles[kind] };
}

interface GrownPost {
	readonly card: string;
	readonly flows: true;
	readonly buttons: (index: number) => readonly string[];
	readonly since?: number;
}

/**
 * Returns the fields that identify the posts of a run's answer. `again` is the id of the button that repeats the
 * run.
 */
export function grownPost(
	run: { readonly id: string; readonly questions?: number; readonly at?: number },
	scene: Scene,
	again: string = control("again", run.id, scene).id,
): GrownPost {
	const card = cardOfRun(run);
	const buttons = (index: number): string[] => [stopOfPost(postOfAnswer(card, index), scene).id, again];
	return { card, flows: true, buttons, ...defined({ since: run.at }) };
}

/**
 * Returns the Stop button of a growing post. The id of the button identifies the post among the posts of an answer,
 * even without a database.
 */
export function stopOfPost(post: string, scene: Scene): Extract<Control, { type: "button" }> {
	const { session, controls } = scene;
	const id = controls.write({ kind: "stop-answer", session, subject: subjectOfPost(post) });
	return { type: "button", id, ...buttonStyles["stop-answer"] };
}
