import type { Control } from "../../platform/posting.ts";
import type { Scene } from "../vocabulary/reducer.ts";

const looks = {
	stop: { label: "Stop", style: "danger" },
	again: { label: "Again", style: "secondary" },
	good: { label: "Good", style: "secondary" },
	bad: { label: "Bad", style: "secondary" },
} as const;

/** A button of a run. */
export function control(kind: keyof typeof looks, run: string, { session, controls }: Scene): Control {
	return { type: "button", id: controls.write({ kind, session, subject: run }), ...looks[kind] };
}
