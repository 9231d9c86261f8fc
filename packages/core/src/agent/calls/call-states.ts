import type { PromptRow } from "../../conversation/prompt-rows.ts";
import type { Decision } from "../../policy/policy.ts";
import type { ReadyCall } from "../../tools/calls/tool-call.ts";
import type { TrustBadge } from "../../vocabulary/event.ts";
import type { CallBlock } from "../../vocabulary/message.ts";
import type { ApprovalContext, OfferedRule, Prompt } from "../../vocabulary/prompt.ts";
import type { Taint } from "../../vocabulary/taint.ts";
import type { ToolContext, ToolResult } from "../../vocabulary/tool.ts";

export interface PlannedCall {
	readonly call: CallBlock;
	readonly ready: ReadyCall;
	readonly context: ToolContext;
	/** Arguments that a person set instead of the model's arguments, in normal form. */
	readonly changed?: unknown;
	/**
	 * Whether the plan contains the facts that its `bind` collects, for example hashes of files in the working directory.
	 */
	readonly isBound?: boolean;
	/** Result of a call that cannot run. The call is still proposed if a person decides about every call of the run. */
	readonly impossible?: string;
}

export interface Judgement extends Decision {
	readonly taint: Taint;
	/** Whether the arguments contain a secret. Approvers do not see secrets. */
	readonly hidden: boolean;
	readonly version: string;
	/** The channel grant that replaces the approval. */
	readonly trusted?: TrustBadge;
	/** The rule that an operator can add to allow the call. */
	readonly offered?: OfferedRule;
}

/** Combined effects of all calls that precede a call in the same reply. */
export interface Before {
	/** Taint that the preceding calls would add to the session. */
	readonly taint: Taint;
	/** Number of the preceding calls that a channel grant covers. */
	readonly trusted: number;
}

/**
 * A call that the policy, a grant or an approver allowed. `token`: token of the approval, or undefined if no approval
 * was needed.
 */
export interface ApprovedCall extends PlannedCall {
	readonly token: string | undefined;
	readonly shown: ApprovalContext | undefined;
	readonly version: string;
	readonly trusted?: TrustBadge;
	/**
	 * Reason why the call does not run: it cannot run, or earlier calls changed its files. After a change of its files,
	 * the call may be proposed again.
	 */
	readonly refusal?: string;
}

/** A call that must be planned after the calls before it have run. */
export interface DependentCall {
	readonly kind: "dependent";
	readonly call: CallBlock;
}

/** A planned call that waits for its turn. If `prompt` is set, the call also needs an answer. */
export interface ProposedCall extends PlannedCall {
	readonly kind: "proposed";
	readonly judgement: Judgement;
	/** Effects of earlier calls of the reply. The judgement assumes that all of these calls run. */
	readonly pending: Before;
	/** Whether the call started before a restart and is safe to repeat. */
	readonly wasStarted: boolean;
	/** The approval that the call needs, or that was requested before a restart. Undefined for a call without approval. */
	readonly prompt: Prompt | undefined;
}

export interface RefusedProposal {
	readonly kind: "refused";
	readonly call: CallBlock;
	readonly text: string;
	readonly denied?: PlannedCall;
}

/** A planned call whose proposal is not recorded yet. */
export interface DraftProposal extends Omit<ProposedCall, "kind" | "prompt"> {
	readonly kind: "draft";
	/** The planned call, if the policy denied it and a person must still decide. */
	readonly denied?: PlannedCall;
	/** The approval that was stored for the call before a restart, if any. */
	readonly known: PromptRow | undefined;
	readonly repeated: RepeatedQuestion | undefined;
}

/** Result of a call, without secrets. */
export interface SettledCall {
	readonly call: CallBlock;
	/** The complete result for clients. */
	readonly result: ToolResult;
	/** The text for the model, within the limits of a result. */
	readonly forModel: string;
	/** Duration of the call. Undefined if the call did not run. */
	readonly durationMs?: number;
}

export interface RepeatedQuestion {
	/** Notes to show before the other notes of the repeated approval. */
	readonly notes: readonly string[];
}
