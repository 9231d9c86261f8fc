import { defined } from "@parley/base";
import { postsOfAnswer, subjectOfPost } from "../../platform/answer-card.ts";
import type { Control } from "../../platform/posting.ts";
import { answerTexts } from "../../texts/answers.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { cardOfRun } from "./runs.ts";

const looks = {
	stop: { label: answerTexts.buttons.stop, style: "danger" },
	/** Stop button of a growing answer. Its own id distinguishes its post from the notice of a queued message. */
	"stop-answer": { label: answerTexts.buttons.stop, style: "danger" },
	again: { label: answerTexts.buttons.again, style: "secondary", emoji: "🔁" },
	good: { label: answerTexts.buttons.good, style: "secondary", emoji: "👍", rates: "good" },
	bad: { label: answerTexts.buttons.bad, style: "secondary", emoji: "👎", rates: "bad" },
} as const;

/** A button of a run. */
export function control(kind: keyof typeof looks, run: string, { session, controls }: Scene): Control {
	return { type: "button", id: controls.write({ kind, session, subject: run }), ...looks[kind] };
}

/** Identity of the posts of an answer, which may have grown while the run worked. */
interface GrownPost {
	readonly card: string;
	readonly flows: true;
	/** By post. */
	readonly buttons: readonly (readonly string[])[];
	readonly since?: number;
}

export function grownPost(
	run: { readonly id: string; readonly questions?: number; readonly at?: number },
	scene: Scene,
): GrownPost {
	const card = cardOfRun(run);
	const { session, controls, platform } = scene;
	const again = controls.write({ kind: "again", session, subject: run.id });
	const buttons = postsOfAnswer(card, platform.limits.postsPerAnswer).map((post) => [
		stopOfPost(post, scene).id,
		again,
	]);
	return { card, flows: true, buttons, ...defined({ since: run.at }) };
}

/** The Stop button of a growing post. Its id tells the posts of an answer apart, also without a database. */
export function stopOfPost(post: string, scene: Scene): Extract<Control, { type: "button" }> {
	const { session, controls } = scene;
	const id = controls.write({ kind: "stop-answer", session, subject: subjectOfPost(post) });
	return { type: "button", id, ...looks["stop-answer"] };
}
