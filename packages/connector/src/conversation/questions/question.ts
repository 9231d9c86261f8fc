import { createHash } from "node:crypto";
import type { PromptContext } from "@parley/protocol";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";

/** Stored start of a text. */
export interface StoredText {
	readonly text: string;
	/** Length of the complete text in UTF-16 code units. */
	readonly length: number;
}

/** Kind of a question. `grant` is a trust request for a channel. */
export type QuestionKind = "approval" | "grant" | "text" | "select" | "multi" | "password";

export interface QuestionOption {
	readonly value: string;
	readonly label: string;
	readonly description: string;
	readonly disabled: boolean;
}

/** Call of an approval, in readable form. */
export interface ApprovalCall {
	/** Id of the call. Absent if an earlier version stored the question. */
	readonly id?: string;
	readonly tool: string;
	readonly arguments: StoredText;
	/** Whether long values are only in the preview. */
	readonly brief: boolean;
	/**
	 * Whether the label adds nothing to the tool and its arguments. The name of the property cannot change, because
	 * stored questions use it.
	 */
	readonly told: boolean;
	/** A unified diff, or an empty text. */
	readonly preview: StoredText;
	readonly notes: readonly StoredText[];
	/**
	 * Notes about unusual properties of the call. Absent if the gateway does not report them. Each note may then be a
	 * warning.
	 */
	readonly warnings?: readonly StoredText[];
	readonly risk: "low" | "normal" | "high" | "critical";
	readonly allowSession: boolean;
	/** Whether `editForm` returns a form for the arguments. */
	readonly editable?: true;
	/** Number of different people who must approve the call, if several are required. */
	readonly approvals?: number;
	/** Number of times that an approver changed the call; absent if no approver changed it. */
	readonly changes?: number;
	/** `hashOfCall` of the complete call. Absent if an earlier version stored the question. */
	readonly hash?: string;
}

export interface QuestionName {
	readonly token: string;
	readonly kind: QuestionKind;
}

export interface QuestionForm {
	readonly kind: QuestionKind;
	readonly options: OpenQuestion["options"];
	readonly unlisted?: number;
	readonly call?: NonNullable<OpenQuestion["call"]>;
	readonly editedBy?: string;
	readonly names?: OpenQuestion["names"];
}

export interface OpenQuestion extends QuestionName {
	readonly label: StoredText;
	readonly required: boolean;
	readonly options: readonly QuestionOption[];
	/** Number of options that are not stored. */
	readonly unlisted: number;
	/** Names and texts of the hints: the default, the example and the pattern of the answer. */
	readonly hints: readonly (readonly [name: string, text: StoredText])[];
	readonly reminders: number;
	/** Time of expiry, in milliseconds since the epoch. */
	readonly expiresAt?: number;
	readonly task?: string;
	readonly call?: ApprovalCall;
	/** Other channels in which people may answer the question, for example `discord:1:2`. */
	readonly alsoIn?: readonly string[];
	/** The model's reply that contains the call of an approval; absent if the gateway does not report it. */
	readonly reply?: { readonly id: string; readonly place: number; readonly count: number };
	/** For a call that needs several approvals: the principals that have approved the call, in order of approval. */
	readonly voters?: readonly string[];
	/** For a call that needs several approvals: the principal that changed its arguments. */
	readonly editedBy?: string;
	/** Names of approvers from another guild, team or platform, by principal. */
	readonly names?: Readonly<Record<string, string>>;
	/** Whether an approval of this call was already requested for the same reply. */
	readonly again?: true;
}

export interface ClosedQuestion {
	readonly token: string;
	/** Result, person and time of the answer, with its details, in Markdown. */
	readonly outcome: string;
	/** Principal of the answer; absent if the question was closed without an answer. */
	readonly by?: string;
}

/**
 * Length of a hash in base64url characters: 96 bits. The hash is short because the id of a button has at most 100
 * characters.
 */
const hashLength = 16;

/** Returns a hash of a call's label, tool, arguments and preview, as 16 base64url characters. */
export function hashOfCall(label: string, { tool, arguments: given, preview }: PromptContext): string {
	const identity = JSON.stringify([label, tool, given, preview]);
	return createHash("sha256").update(identity).digest("base64url").slice(0, hashLength);
}

/**
 * Returns the version of a question. The version changes when the question's call changes. It covers the complete
 * call, or only the stored start if an earlier version of Parley stored the question.
 */
export function versionOf({ label, call }: OpenQuestion): string {
	if (call?.hash !== undefined) return call.hash;
	const shown = [label.text, label.length, call?.tool, call?.arguments, call?.preview];
	return createHash("sha256").update(JSON.stringify(shown)).digest("base64url").slice(0, 8);
}

/**
 * Returns the subject for a button that approves the call as the card shows it. A press after a change of the call
 * is refused.
 */
export function boundSubject(question: OpenQuestion): string {
	return `${question.token}.${versionOf(question)}`;
}

/**
 * Returns parameters that limit an approval to the state of the call that the question shows. The gateway then
 * refuses the approval if an approver has changed the call, even if the event of the change has not arrived here.
 */
export function readChanges(question: OpenQuestion | undefined): { readonly changes?: number } {
	return question?.call === undefined ? {} : { changes: question.call.changes ?? 0 };
}

export function cardOf(token: string): string {
	return `prompt:${token}`;
}

/** Returns the card of the reminder number `count`. This card is never edited. */
export function reminderCardOf(token: string, count: number): string {
	return `${cardOf(token)}:reminder:${count}`;
}

/** Returns the token of the question to which a card, a reminder or a notice belongs; undefined for other cards. */
export function tokenOfCard(card: string): string | undefined {
	return /^prompt:(?<token>[^:]+)/u.exec(card)?.groups?.["token"];
}

const titles: Readonly<Record<QuestionKind, string>> = {
	approval: approvalTexts.card.title,
	grant: questionTexts.titles.grant,
	text: questionTexts.titles.question,
	select: questionTexts.titles.question,
	multi: questionTexts.titles.question,
	password: questionTexts.titles.question,
};

export function titleOf(kind: QuestionKind): string {
	return titles[kind];
}

/** Returns the display name of the platform for the id of a person or channel: `Discord` for `discord:1:2`. */
export function platformOf(id: string): string {
	const [name = ""] = id.split(":");
	return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
