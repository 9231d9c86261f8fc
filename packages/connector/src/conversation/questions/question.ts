import { createHash } from "node:crypto";
import type { PromptContext } from "@parley/protocol";
import { approvalTexts } from "../../texts/approvals.ts";
import { questionTexts } from "../../texts/questions.ts";
/** The stored start of a text. */
export interface StoredText {
	readonly text: string;
	/** Length of the complete text in UTF-16 code units. */
	readonly length: number;
}

/** `grant`: a trust request for a channel. */
export type QuestionKind = "approval" | "grant" | "text" | "select" | "multi" | "password";

export interface QuestionOption {
	readonly value: string;
	readonly label: string;
	readonly description: string;
	readonly disabled: boolean;
}

/** The call of an approval, in readable form. */
export interface ApprovalCall {
	/** Absent in questions that an earlier version stored. */
	readonly id?: string;
	readonly tool: string;
	readonly arguments: StoredText;
	/** Whether long values are only in the preview. */
	readonly brief: boolean;
	/** Whether the label adds nothing to the tool and its arguments. Stored under this name. */
	readonly told: boolean;
	/** A unified diff, or empty. */
	readonly preview: StoredText;
	readonly notes: readonly StoredText[];
	/** The notes that differ from a usual call. Absent if the gateway does not report them: then all notes may. */
	readonly warnings?: readonly StoredText[];
	readonly risk: "low" | "normal" | "high" | "critical";
	readonly allowSession: boolean;
	/** Whether a form of the platform can contain the arguments. Absent: no. */
	readonly editable?: true;
	/** Approvals by different people that it needs, if it needs several. */
	readonly approvals?: number;
	/** `hashOfCall` of the complete call. Absent in questions that an earlier version stored. */
	readonly hash?: string;
}

/** Kind and token of a question. */
export interface QuestionName {
	readonly token: string;
	readonly kind: QuestionKind;
}

/** Kind and options of a question, and the call of an approval. */
export interface QuestionForm {
	readonly kind: QuestionKind;
	readonly options: OpenQuestion["options"];
	readonly unlisted?: number;
	readonly call?: NonNullable<OpenQuestion["call"]>;
	readonly editedBy?: string;
}

export interface OpenQuestion extends QuestionName {
	readonly label: StoredText;
	readonly required: boolean;
	readonly options: readonly QuestionOption[];
	/** Number of options that are not stored. */
	readonly unlisted: number;
	/** Names and texts of hints from the author of the question. */
	readonly hints: readonly (readonly [name: string, text: StoredText])[];
	readonly reminders: number;
	/** Milliseconds since the epoch. */
	readonly expiresAt?: number;
	readonly task?: string;
	readonly call?: ApprovalCall;
	/** Other channels in which it may be answered, as the gateway names them. */
	readonly alsoIn?: readonly string[];
	/** The reply of the model with the call of an approval; absent if the gateway does not report it. */
	readonly reply?: { readonly id: string; readonly place: number; readonly count: number };
	/** Principals that approved a call that needs several approvals, the oldest first. */
	readonly voters?: readonly string[];
	/** Principal that changed the arguments of a call that needs several approvals. */
	readonly editedBy?: string;
	/** The same call was already in that reply. */
	readonly again?: true;
}

export interface ClosedQuestion {
	readonly token: string;
	/** Markdown: the result, the person and the time. */
	readonly outcome: string;
	/** Principal of the answer; absent without one. */
	readonly by?: string;
}

/** Characters of base64url: 96 bits. The id of a button has at most 100 characters. */
const hashLength = 16;

/** Hash of a complete call: of its label, its tool, its arguments and its preview. Base64url, 16 characters. */
export function hashOfCall(label: string, { tool, arguments: given, preview }: PromptContext): string {
	const whole = JSON.stringify([label, tool, given, preview]);
	return createHash("sha256").update(whole).digest("base64url").slice(0, hashLength);
}

/**
 * Changes with the call of a question. It covers the complete call, or only its stored start if an earlier version stored
 * the question.
 */
export function versionOf({ label, call }: OpenQuestion): string {
	if (call?.hash !== undefined) return call.hash;
	const shown = [label.text, label.length, call?.tool, call?.arguments, call?.preview];
	return createHash("sha256").update(JSON.stringify(shown)).digest("base64url").slice(0, 8);
}

/** Subject of a button that approves the shown call. A press after a change of the call is refused. */
export function boundSubject(question: OpenQuestion): string {
	return `${question.token}.${versionOf(question)}`;
}

export function cardOf(token: string): string {
	return `prompt:${token}`;
}

/** Card of the reminder number `count`, which is never edited. */
export function reminderCardOf(token: string, count: number): string {
	return `${cardOf(token)}:reminder:${count}`;
}

/** Returns the question of a card or reminder; undefined for other cards. */
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

/** Start of a question's card. */
export function titleOf(kind: QuestionKind): string {
	return titles[kind];
}

/** Display name of the platform of a person or channel: `Discord` for `discord:1:2`. */
export function platformOf(id: string): string {
	const [name = ""] = id.split(":");
	return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
