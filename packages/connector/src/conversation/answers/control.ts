import { defined } from "@parley/base";
import type { Control } from "../../platform/posting.ts";
import { answerTexts } from "../../texts/answers.ts";
import type { Scene } from "../vocabulary/reducer.ts";
import { cardOfRun } from "./runs.ts";

const looks = {
	stop: { label: answerTexts.buttons.stop, style: "danger" },
	/** Stop button of a growing answer. Its own id distinguishes its post from the notice of a queued message. */
	"stop-answer": { label: answerTexts.buttons.stop, style: "danger" },
	again: { label: answerTexts.buttons.again, style: "secondary" },
	good: { label: answerTexts.buttons.good, style: "secondary" },
	bad: { label: answerTexts.buttons.bad, style: "secondary" },
} as const;

/** A button of a run. */
export function control(kind: keyof typeof looks, run: string, { session, controls }: Scene): Control {
	return { type: "button", id: controls.write({ kind, session, subject: run }), ...looks[kind] };
}

/** Identity of the post of an answer, which may have grown while the run worked. */
export function grownPost(
	run: { readonly id: string; readonly questions?: number; readonly at?: number },
	{ session, controls }: Scene,
): { readonly card: string; readonly flows: true; readonly buttons: string[]; readonly since?: number } {
	const kinds = ["stop-answer", "again"] as const;
	const buttons = kinds.map((kind) => controls.write({ kind, session, subject: run.id }));
	return { card: cardOfRun(run), flows: true, buttons, ...defined({ since: run.at }) };
}
