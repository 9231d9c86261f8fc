import { defined, ParleyError } from "@parley/base";
import { RE2JS } from "re2js";
import type { NoticeSettings, NoticeWay } from "./chat-settings.ts";
import type { ActionClass } from "./taint.ts";
import { answerTexts } from "./texts.ts";

export interface PromptOption {
	readonly value: string;
	readonly label: string;
	readonly description: string;
	readonly disabled: boolean;
}

export type PromptType = "confirm" | "text" | "select" | "multi" | "password";

/** Risk of a tool call, as approvers see it. A `critical` call always requires approval. */
export type Risk = "low" | "normal" | "high" | "critical";

/** Facts that a client needs to show an approval request. */
export interface ApprovalContext {
	readonly callId: string;
	readonly tool: string;
	readonly arguments: unknown;
	readonly preview: string;
	readonly risk: Risk;
	/** Whether the person may answer "for this session". */
	readonly allowSession: boolean;
	/** Notes for people, for example the working directory, the sandbox and the reasons for the approval. */
	readonly notes: readonly string[];
	/** Notes that an ordinary call does not have. A client that shows only some notes shows these first. */
	readonly warnings?: readonly string[];
	/** Number of different people who must approve the call. Default: 1. */
	readonly approvals?: number;
	/** Number of changes that approvers made to the call. Absent if no approver changed the call. */
	readonly changes?: number;
	/** Keys (see `placeKey`) of the other channels in which the approval may be answered. */
	readonly alsoIn?: readonly string[];
	/** Absent in approvals of earlier versions. */
	readonly reply?: ReplyPlace;
	/** People who are notified immediately. */
	readonly notify?: Notice;
	/** Rule that an operator can add as an answer. Absent if no rule is offered. */
	readonly offered?: OfferedRule;
}

/** Allow rule that an operator can add to the operator's rules. */
export interface OfferedRule {
	/** Name of the tool in rules. */
	readonly tool: string;
	readonly classes: readonly ActionClass[];
	/** Allowed commands: one for each command of the tool call. */
	readonly commands: readonly OfferedCommand[];
}

/** First words of an allowed command. */
export interface OfferedCommand {
	readonly words: readonly string[];
	/** Whether further words are forbidden, because the program runs other programs. */
	readonly exact: boolean;
}

/** People to notify, and the ways to try, in order; see `NoticeWay`. */
export interface Notice {
	readonly people: readonly string[];
	/** Ids of platform roles. The members of these roles may approve. Only a mention reaches these members. */
	readonly roles?: readonly string[];
	readonly by: readonly NoticeWay[];
	/** Keys (see `placeKey`) of the channels for the way `channel`. */
	readonly channels?: readonly string[];
}

/** Notices about an approval. The settings are those at the time of the approval request. */
export interface NoticeSchedule extends Pick<NoticeSettings, "remindMs" | "escalateMs"> {
	/** Groups to notify. At least one. */
	readonly groups: readonly Notice[];
}

/** The model reply that a tool call belongs to, and the call's position among the approvals that were requested together. */
export interface ReplyPlace {
	/** Id of the reply. All tool calls of the reply have the same id. */
	readonly id: string;
	/** Position of the call, from 1. */
	readonly place: number;
	readonly count: number;
}

/**
 * A question to a person, of one of these kinds:
 * - An approval request has `approval`.
 * - A request for a trust grant has the type `confirm` and no `approval`.
 * - Any other question is an elicitation.
 */
export interface Prompt {
	/** Unguessable id that an answer must name. */
	readonly token: string;
	readonly runId: string;
	readonly type: PromptType;
	readonly label: string;
	readonly required: boolean;
	readonly options: readonly PromptOption[];
	/**
	 * Regular expression (RE2 syntax, linear time) that a text answer must match completely. If "", any text is
	 * accepted. An omitted answer to an optional question is not checked.
	 */
	readonly validation: string;
	readonly placeholder: string;
	/** Expiry in milliseconds since the epoch. At this time, an open question closes without an answer. */
	readonly expiresAt: number;
	readonly approval?: ApprovalContext;
	/**
	 * Tool call that asks the question. Absent in approvals, because `approval` contains the tool call. Also absent in
	 * questions of earlier versions.
	 */
	readonly callId?: string;
	/** Time of the first reminder in milliseconds since the epoch. Default: half of the lifetime. */
	readonly remindAt?: number;
	/** Task that asks the question. The question is in the session that owns the task. */
	readonly taskId?: string;
}

/**
 * Whether only an answer with an explicit value approves the question. True for a tool call that always
 * requires approval, and for a request for a trust grant.
 */
export function alwaysRequires({ type, approval }: Prompt): boolean {
	return type === "confirm" && (!approval || approval.risk === "critical");
}

/** A question that a tool can ask a person. */
export interface Elicitation {
	readonly type: Exclude<PromptType, "confirm">;
	readonly label: string;
	readonly options: readonly PromptOption[];
	readonly required: boolean;
	readonly validation: string;
}

/** Answer to a question: the text, the chosen values, a handle `secret:…` for a password, or no answer. */
export type ElicitationAnswer =
	| { readonly outcome: "answered"; readonly value: string | readonly string[] }
	| { readonly outcome: "cancelled"; readonly reason?: string }
	| { readonly outcome: "expired" };

/** Response of a client. `value: null` is treated as no value. */
export interface PromptResponse {
	readonly value?: unknown;
	readonly values?: readonly string[];
	readonly text?: string;
	readonly cancelled?: boolean;
	/** Reason for a denial or a dismissal. The model receives the reason. */
	readonly reason?: string;
	/** Whether no person made the denial. In that case, `reason` explains the denial. */
	readonly unanswered?: boolean;
	/** Whether the connection is encrypted or local. Default: true. */
	readonly confidential?: boolean;
	/** True if the client showed an always-required approval as a choice between `deny` and `approve`. */
	readonly choice?: boolean;
	/** For approvals: arguments that replace the displayed arguments. */
	readonly arguments?: Readonly<Record<string, unknown>>;
	/**
	 * For approvals: value of `changes` in the approval request that the person read. If an approver has changed the call
	 * since then, the gateway refuses this approval. If absent, the approval applies to the current call.
	 */
	readonly changes?: number;
	/** True if a chat user typed the answer in a message. */
	readonly typed?: boolean;
	/**
	 * True if `arguments` may only narrow the call. The arguments are refused if the call would then need a further class
	 * of action.
	 */
	readonly narrows?: boolean;
}

/** Meaning of a response for its prompt. */
export type Answer =
	| { readonly kind: "approved"; readonly remember: boolean; readonly arguments?: unknown }
	| { readonly kind: "denied"; readonly reason: string; readonly unanswered?: true }
	| { readonly kind: "value"; readonly value: string | readonly string[] }
	| { readonly kind: "cancelled"; readonly reason?: string };

/** Maximum characters of a text answer. */
const longestAnswer = 65_536;
/** Maximum characters of a password, enough for a long private key. */
const longestPassword = 4_096;

const yes = new Set<unknown>([true, "yes", "y", "allow", "once"]);
const approving = new Set<unknown>([...yes, "approve"]);
const denying = new Set<unknown>([false, "no", "n", "deny"]);
const forSession = new Set<unknown>(["session", "always"]);

/**
 * Interprets a response to `prompt`. Throws `invalid_argument` for an invalid answer, and the prompt then stays open.
 * If `floor` is true, the call always requires approval, and an approval without a value is also invalid.
 */
export function readAnswer(prompt: Prompt, floor: boolean, response: PromptResponse): Answer {
	if (prompt.type === "confirm") return readConfirm(prompt, floor, response);
	if (response.cancelled === true) {
		return { kind: "cancelled", ...defined({ reason: response.reason || undefined }) };
	}
	if (response.arguments) throw invalid(answerTexts.argumentsOfApproval);
	if (prompt.type === "multi") return { kind: "value", value: readChoices(prompt, response) };
	const answer = response.value ?? response.text ?? response.values?.[0];
	if (prompt.type === "select") return { kind: "value", value: readChoice(prompt, answer) };
	return { kind: "value", value: readText(prompt, answer) };
}

function readConfirm(prompt: Prompt, floor: boolean, response: PromptResponse): Answer {
	const { reason = "", unanswered } = response;
	const denied: Answer = { kind: "denied", reason, ...defined({ unanswered: unanswered || undefined }) };
	if (response.cancelled === true) return denied;
	const value = response.value ?? response.text ?? response.values ?? null;
	if (floor && response.choice) return readDecision(value, denied);
	if (yes.has(value)) return { kind: "approved", remember: false };
	if (forSession.has(value)) {
		if (!prompt.approval?.allowSession) return denied;
		if (response.arguments) throw invalid(answerTexts.changedOnce);
		return { kind: "approved", remember: true };
	}
	if (value !== null || response.cancelled !== false) return denied;
	if (floor) throw invalid(answerTexts.approvalValue);
	return { kind: "approved", remember: false };
}

/**
 * Returns the decision that `value` means. Accepts `approve`, `deny` and other values that approve or deny once, such as
 * `yes`. Throws `invalid_argument` for any other value.
 */
function readDecision(value: unknown, denied: Answer): Answer {
	if (denying.has(value)) return denied;
	if (approving.has(value)) return { kind: "approved", remember: false };
	throw invalid(answerTexts.approvalChoice);
}

function readText(prompt: Prompt, answer: unknown): string {
	if (answer === undefined || answer === null || answer === "") {
		if (prompt.required) throw invalid(answerTexts.required);
		return "";
	}
	if (typeof answer !== "string") throw invalid(answerTexts.notString);
	const longest = prompt.type === "password" ? longestPassword : longestAnswer;
	if (answer.length > longest) {
		throw invalid(answerTexts.tooLong(answer.length, longest));
	}
	// The pattern compiles, because a question with an invalid pattern is refused.
	if (prompt.validation !== "" && !RE2JS.compile(prompt.validation).matches(answer)) {
		throw invalid(answerTexts.noMatch(prompt.validation));
	}
	return answer;
}

function readChoice(prompt: Prompt, answer: unknown): string {
	if (answer === undefined || answer === null || answer === "") {
		if (prompt.required) throw invalid(answerTexts.choiceRequired);
		return "";
	}
	if (typeof answer === "string" && isOffered(prompt, answer)) return answer;
	throw invalid(answerTexts.chooseOne(offered(prompt)));
}

function readChoices(prompt: Prompt, response: PromptResponse): readonly string[] {
	const answer = response.values ?? response.value ?? (response.text === undefined ? [] : [response.text]);
	if (!Array.isArray(answer)) throw invalid(answerTexts.chooseList(offered(prompt)));
	const list: readonly unknown[] = answer;
	const chosen = list.filter(
		(value): value is string => typeof value === "string" && isOffered(prompt, value),
	);
	if (chosen.length !== list.length) throw invalid(answerTexts.chooseAmong(offered(prompt)));
	const twice = chosen.find((value, at) => chosen.indexOf(value) !== at);
	if (twice !== undefined) throw invalid(answerTexts.twice(twice));
	if (prompt.required && chosen.length === 0) throw invalid(answerTexts.choiceRequired);
	return chosen;
}

function isOffered(prompt: Prompt, value: string): boolean {
	return prompt.options.some((option) => option.value === value && !option.disabled);
}

function offered(prompt: Prompt): string {
	return prompt.options
		.filter((option) => !option.disabled)
		.map((option) => option.value)
		.join(", ");
}

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
