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
	/** The arguments that a person gave it in place of the model's, in their normal form. */
	readonly changed?: unknown;
	/** Whether its plan has facts that take long to collect, such as the files of the working directory. */
	readonly isBound?: boolean;
	/** The result of a call that cannot run and is decided nevertheless, because every call of its run is. */
	readonly impossible?: string;
}

export interface Judgement extends Decision {
	readonly taint: Taint;
	/** Whether the arguments contain a secret, which people do not see. */
	readonly hidden: boolean;
	readonly version: string;
	/** The channel grant that makes an approval needless. */
	readonly trusted?: TrustBadge;
	/** The rule that an operator can add to allow the call. */
	readonly offered?: OfferedRule;
}

/** Calls of the same reply that may run before. */
export interface Before {
	/** Effects that they add to the session. */
	readonly taint: Taint;
	/** Number of them that the grant of the channel covers. */
	readonly trusted: number;
}

/** A call that may run: allowed by policy, or approved by the person who answered `token`. */
export interface ApprovedCall extends PlannedCall {
	readonly token: string | undefined;
	readonly shown: ApprovalContext | undefined;
	readonly version: string;
	readonly trusted?: TrustBadge;
	/** Reason why the call does not run: it cannot, or earlier calls changed its files. Then it may be proposed again. */
	readonly refusal?: string;
}

/** A call that must be planned after the calls before it have run. */
export interface DependentCall {
	readonly kind: "dependent";
	readonly call: CallBlock;
}

/** A planned call that waits for its turn, and for an answer if `prompt` is set. */
export interface ProposedCall extends PlannedCall {
	readonly kind: "proposed";
	readonly judgement: Judgement;
	/** The effects of the calls before it that the judgement assumes. */
	readonly pending: Before;
	/** Whether the call started before a restart. It is safe to repeat. */
	readonly begun: boolean;
	/** The approval that the call needs, or that was requested before a restart. */
	readonly prompt: Prompt | undefined;
}

export interface RefusedProposal {
	readonly kind: "refused";
	readonly call: CallBlock;
	readonly text: string;
	readonly denied?: PlannedCall;
}

/** A call that is planned, before its approval is written. */
export interface DraftProposal extends Omit<ProposedCall, "kind" | "prompt"> {
	readonly kind: "draft";
	/** The call, if a rule of the policy denied it and a person must still decide. */
	readonly denied?: PlannedCall;
	/** Its approval from before a restart. */
	readonly known: PromptRow | undefined;
	readonly again: Again | undefined;
}

/** The result of a call. It has no secrets. */
export interface SettledCall {
	readonly call: CallBlock;
	/** Clients get its complete text. */
	readonly result: ToolResult;
	/** The text for the model, within the limits of a result. */
	readonly forModel: string;
	/** Absent if it did not run. */
	readonly durationMs?: number;
}

export interface Again {
	/** Precede the notes of its approval. */
	readonly notes: readonly string[];
}
