import type { AssistantMessage, ResultBlock } from "./message.ts";
import type { MessageContext } from "./message-context.ts";
import type { StopReason } from "./model.ts";
import type { Person } from "./principal.ts";
import type { WorkflowStep } from "./skill.ts";
import { callRefusalTexts } from "./texts.ts";
import { addUsage, noUsage, type Usage } from "./usage.ts";

/** Decision about a tool call, for later explanation. */
export interface CallDecision {
	readonly effect: "allow" | "ask" | "refuse";
	/** Rule that decided or, for an invalid call, the text for the model. */
	readonly reason: string;
	/** Version of the rules. */
	readonly policy: string;
}

/**
 * One step of a run. The steps determine the state of the run: after a crash, the gateway replays the steps
 * and continues the run after the last step.
 */
export type Step =
	/**
	 * First step of an imported run. The history of such a run comes from a client or from a forked session. An imported
	 * run did not happen in this session.
	 */
	| { readonly kind: "imported" }
	/**
	 * A model is about to be called. If the run is resumed and no `reply` follows, the model is called again.
	 */
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
	 * A model call that gave the run no reply: the call failed, or it was for another text, such as a summary. `text` is
	 * the received text.
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
			/** Channel messages that the client has read as context for the message. */
			readonly context?: MessageContext;
	  }
	/**
	 * Notes from memory at the start of the run, or "". `personal` are notes about one person. Later runs of the session do
	 * not get these personal notes. `commands` describes the background commands at the start of the run.
	 */
	| {
			readonly kind: "recalled";
			readonly notes: string;
			readonly personal: string;
			readonly commands?: string;
	  }
	/** A skill without steps has started. The text of the skill applies until the end of the run. */
	| {
			readonly kind: "skill";
			/** Tool call that started the skill, or "" if a person started it. */
			readonly callId: string;
			readonly skill: string;
			/** Names of the tools that the run may use from this step on. Absent if the skill has no list. */
			readonly tools?: readonly string[];
			/** Milliseconds since the epoch. */
			readonly at: number;
	  }
	/** The tool call was announced with `tool.started`. `decision` is absent in steps of earlier versions. */
	| { readonly kind: "started"; readonly callId: string; readonly decision?: CallDecision }
	/**
	 * A later decision about an announced tool call. It replaces the decision of `started`. `asked` is true if the call
	 * required a new approval.
	 */
	| {
			readonly kind: "judged";
			readonly callId: string;
			readonly decision: CallDecision;
			readonly asked?: boolean;
	  }
	/**
	 * A tool call with an effect, or a gated call, is about to run. If no `result` follows, the effect of the call is
	 * unknown. `gated` means that the audit log contains the call and must also contain the end of the call.
	 */
	| { readonly kind: "intent"; readonly callId: string; readonly gated?: boolean }
	/** Result of a tool call. If `later` is present, later runs of the session get `later` instead of `text`. */
	| ({ readonly kind: "result"; readonly later?: string } & Omit<ResultBlock, "type">)
	| WorkflowStep
	| { readonly kind: "ended"; readonly error: string };

/** Returns the last decision about a tool call. Undefined before the call is announced, and in steps of earlier versions. */
export function lastDecision(steps: readonly Step[], callId: string): CallDecision | undefined {
	return steps
		.filter((step) => step.kind === "started" || step.kind === "judged")
		.findLast((step) => step.callId === callId)?.decision;
}

/** Whether a tool call of the run required an approval. */
export function hadApprovals(steps: readonly Step[]): boolean {
	return steps.some(
		(step) => (step.kind === "started" || step.kind === "judged") && step.decision?.effect === "ask",
	);
}

/**
 * Whether an `intent` of a different tool call follows the announcement of this call. If the approval of this call was
 * requested again, only an `intent` after the last request is considered.
 */
export function ranSinceQuestion(steps: readonly Step[], callId: string): boolean {
	const raised = steps.findLastIndex(
		(step) => (step.kind === "started" || (step.kind === "judged" && step.asked)) && step.callId === callId,
	);
	return (
		raised !== -1 && steps.slice(raised).some((step) => step.kind === "intent" && step.callId !== callId)
	);
}

/** Beginning of the result of a tool call that a stop or crash of the gateway interrupted. It identifies such results. */
export const interrupted = callRefusalTexts.interrupted;

/** Returns the tokens and the cost of all model calls of a run, including calls without a reply. */
export function spentIn(steps: readonly Step[]): Usage & { readonly cost: number } {
	return steps.reduce(
		(sum, step) => {
			if (step.kind !== "reply" && step.kind !== "spent") return sum;
			return { ...addUsage(sum, step.usage), cost: sum.cost + (step.cost ?? 0) };
		},
		{ ...noUsage, cost: 0 },
	);
}
