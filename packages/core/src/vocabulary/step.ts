import type { AssistantMessage, ResultBlock } from "./message.ts";
import type { MessageContext } from "./message-context.ts";
import type { StopReason } from "./model.ts";
import type { Person } from "./principal.ts";
import type { WorkflowStep } from "./skill.ts";
import { callRefusalTexts } from "./texts.ts";
import { addUsage, noUsage, type Usage } from "./usage.ts";

/** Decision about a tool call, for later explanation. Absent in steps of earlier versions. */
export interface CallDecision {
	readonly effect: "allow" | "ask" | "refuse";
	/** Rule that decided or, for an invalid call, the text for the model. */
	readonly reason: string;
	/** Version of the rules. */
	readonly policy: string;
}

/**
 * Steps of a run, in order. They determine the state of the run: after a crash they are replayed, and the run continues after the
 * last step.
 */
export type Step =
	/**
	 * First step of an imported run, whose history comes from a client or from a forked session. An imported run did not happen in
	 * this session.
	 */
	| { readonly kind: "imported" }
	/** A model is about to be called. Without a following `reply`, the model is called again. */
	| { readonly kind: "call" }
	| {
			readonly kind: "reply";
			readonly content: AssistantMessage["content"];
			readonly model: string;
			/** Requested model. Absent in steps of earlier versions. */
			readonly asked?: string;
			/** Absent if the reply was interrupted, and in steps of earlier versions. */
			readonly stop?: StopReason;
			readonly usage: Usage;
			/** Billionths of a US dollar. Absent in steps of earlier versions. */
			readonly cost?: number;
	  }
	/**
	 * A model call without a usable reply (it failed, or wrote a summary), with the received text. The model never sees it.
	 */
	| {
			readonly kind: "spent";
			readonly usage: Usage;
			readonly cost: number;
			readonly text: string;
			readonly reason: string;
	  }
	/** A message that was added while the run was active. */
	| {
			readonly kind: "steered";
			readonly content: string;
			readonly actor?: Person;
			/** Messages of the channel that were read for it. */
			readonly context?: MessageContext;
	  }
	/**
	 * Notes from memory at the start of the run, or "". `personal` notes of one person are for this run only: later runs of
	 * the session do not have them. `commands`: the commands in the background at that time.
	 */
	| {
			readonly kind: "recalled";
			readonly notes: string;
			readonly personal: string;
			readonly commands?: string;
	  }
	/** A skill that is a text has started. It lasts to the end of the run. */
	| {
			readonly kind: "skill";
			/** The call of the model that started it; "" if a person did. */
			readonly callId: string;
			readonly skill: string;
			/** Names of the only tools of the run from here on. Absent if the skill has no list. */
			readonly tools?: readonly string[];
			/** Milliseconds since the epoch. */
			readonly at: number;
	  }
	/** The call was announced (`tool.started`). */
	| { readonly kind: "started"; readonly callId: string; readonly decision?: CallDecision }
	/** Later decision about an announced call. It replaces the one of `started`. `asked`: it required another approval. */
	| {
			readonly kind: "judged";
			readonly callId: string;
			readonly decision: CallDecision;
			readonly asked?: boolean;
	  }
	/**
	 * A call with an effect is about to run. Without a later `result` its effect is unknown. `gated`: the audit records the
	 * call and must record its end.
	 */
	| { readonly kind: "intent"; readonly callId: string; readonly gated?: boolean }
	/** `later`: the text that later runs of the session have in the place of `text`. */
	| ({ readonly kind: "result"; readonly later?: string } & Omit<ResultBlock, "type">)
	| WorkflowStep
	| { readonly kind: "ended"; readonly error: string };

/** The last decision about a call. Undefined before it is announced, and in steps that an earlier version wrote. */
export function lastDecision(steps: readonly Step[], callId: string): CallDecision | undefined {
	return steps
		.filter((step) => step.kind === "started" || step.kind === "judged")
		.findLast((step) => step.callId === callId)?.decision;
}

/** Whether a call of the run required an approval. */
export function hadApprovals(steps: readonly Step[]): boolean {
	return steps.some(
		(step) => (step.kind === "started" || step.kind === "judged") && step.decision?.effect === "ask",
	);
}

/** Whether another call with an effect began to run after the last approval of this call was raised. */
export function ranSinceQuestion(steps: readonly Step[], callId: string): boolean {
	const raised = steps.findLastIndex(
		(step) => (step.kind === "started" || (step.kind === "judged" && step.asked)) && step.callId === callId,
	);
	return (
		raised !== -1 && steps.slice(raised).some((step) => step.kind === "intent" && step.callId !== callId)
	);
}

/** Beginning of the result of a call that a stop of the gateway interrupted. It also identifies such results. */
export const interrupted = callRefusalTexts.interrupted;

/** Tokens and cost of all model calls of a run, also of those without a reply. */
export function spentIn(steps: readonly Step[]): Usage & { readonly cost: number } {
	return steps.reduce(
		(sum, step) => {
			if (step.kind !== "reply" && step.kind !== "spent") return sum;
			return { ...addUsage(sum, step.usage), cost: sum.cost + (step.cost ?? 0) };
		},
		{ ...noUsage, cost: 0 },
	);
}
