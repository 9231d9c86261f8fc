/** A choice of a `select` or `multi` prompt. */
export interface PromptOption {
	readonly value: string;
	readonly label: string;
	readonly description: string;
	readonly disabled: boolean;
}

export type PromptType = "confirm" | "text" | "select" | "multi" | "password";

/** How much harm the asked-for action can do: shown to the person, and `critical` is the always-ask floor. */
export type Risk = "low" | "normal" | "high" | "critical";

/** What a client needs to show an approval well. Absent for elicitations. */
export interface ApprovalContext {
	readonly callId: string;
	readonly tool: string;
	readonly arguments: unknown;
	readonly preview: string;
	readonly risk: Risk;
	/** Whether "for this session" may be answered. */
	readonly allowSession: boolean;
	/** The words to show: where it runs, whether a sandbox holds, why it is asked. */
	readonly notes: readonly string[];
	/** Other channels in which it may be answered, as `placeKey` writes them. */
	readonly alsoIn?: readonly string[];
	/** Absent in approvals that an earlier version raised. */
	readonly reply?: ReplyPlace;
}

/** The reply of the model that a call belongs to, and its place among the approvals that one commit raised for it. */
export interface ReplyPlace {
	/** The same for all calls of the reply, also for those that are asked later. */
	readonly id: string;
	/** From 1. */
	readonly place: number;
	readonly count: number;
}

/** A question to a person: an approval when `approval` is present, else an elicitation. */
export interface Prompt {
	/** Unguessable; whoever holds it and may see the session can answer. */
	readonly token: string;
	readonly runId: string;
	readonly type: PromptType;
	readonly label: string;
	readonly required: boolean;
	readonly options: readonly PromptOption[];
	/** Anchored by us, linear time (RE2 syntax); "" accepts everything. */
	readonly validation: string;
	readonly placeholder: string;
	/** Milliseconds since the epoch; after it the answer is `no answer`. */
	readonly expiresAt: number;
	readonly approval?: ApprovalContext;
	/** The task that asks; its session's people answer. */
	readonly taskId?: string;
}

/** Whether only an answer with a value approves it: a call of the always-ask floor, or a trust grant of a channel. */
export function alwaysRequires({ type, approval }: Prompt): boolean {
	return type === "confirm" && (!approval || approval.risk === "critical");
}

/** What a person may be asked for by `ask_user`. */
export interface Elicitation {
	readonly type: Exclude<PromptType, "confirm">;
	readonly label: string;
	readonly options: readonly PromptOption[];
	readonly required: boolean;
	readonly validation: string;
}

/** What came back: the text, the chosen values, a handle `secret:…` for a password, or that nobody answered. */
export type ElicitationAnswer =
	| { readonly outcome: "answered"; readonly value: string | readonly string[] }
	| { readonly outcome: "cancelled"; readonly reason?: string }
	| { readonly outcome: "expired" };
