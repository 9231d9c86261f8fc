import { phaseTasks } from "../instructions/prompt-sections.ts";
import type { UserMessage } from "./message.ts";
import type { Step } from "./step.ts";

/** One message object for each phase, so that data derived from it is computed once. */
const asks: Readonly<Record<OodaPhase, UserMessage>> = {
	observe: ask("observe"),
	orient: ask("orient"),
	decide: ask("decide"),
	act: ask("act"),
};

function ask(phase: OodaPhase): UserMessage {
	const tools = phase === "act" ? "You have your tools." : "You have no tools in this phase.";
	return {
		role: "user",
		content: [{ type: "text", text: `[Phase: ${phase}. ${tools}]\n${phaseTasks[phase]}` }],
	};
}

/** Options of a run that decide about phases. */
type Mode = { readonly mode?: "react" | "ooda" } | undefined;

/**
 * Phase of the next model call of a run. Undefined in another mode. Each reply ends a phase, so the steps give the phase
 * also after a restart.
 */
export function phaseOf(options: Mode, steps: readonly Step[]): OodaPhase | undefined {
	return phaseAfter(options, steps.filter(({ kind }) => kind === "reply").length);
}

/** Phase after this number of replies of the run. */
export function phaseAfter(options: Mode, replies: number): OodaPhase | undefined {
	return options?.mode === "ooda" ? oodaPhases[replies % oodaPhases.length] : undefined;
}

/** Whether the model may call tools, and may end the run, in this phase. */
export function mayAct(phase: OodaPhase | undefined): boolean {
	return phase === undefined || phase === "act";
}

/** The instructions of a phase, as the last message of its request. */
export function askOf(phase: OodaPhase): UserMessage {
	return asks[phase];
}

/** The phases of a round in the mode `ooda`, in their order. Each is a separate model call. */
export const oodaPhases = ["observe", "orient", "decide", "act"] as const;
export type OodaPhase = (typeof oodaPhases)[number];
