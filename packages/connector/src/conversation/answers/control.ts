import type { Control } from "../../platform/posting.ts";
import { answerTexts } from "../../texts/answers.ts";
import type { Scene } from "../vocabulary/reducer.ts";

const looks = {
	stop: { label: answerTexts.buttons.stop, style: "danger" },
	again: { label: answerTexts.buttons.again, style: "secondary" },
	good: { label: answerTexts.buttons.good, style: "secondary" },
	bad: { label: answerTexts.buttons.bad, style: "secondary" },
} as const;

/** A button of a run. */
export function control(kind: keyof typeof looks, run: string, { session, controls }: Scene): Control {
	return { type: "button", id: controls.write({ kind, session, subject: run }), ...looks[kind] };
}
