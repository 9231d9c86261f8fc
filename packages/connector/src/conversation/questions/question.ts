/** The beginning of a text that may be longer than what is kept of it. */
export interface StoredText {
	readonly text: string;
	/** Of all of it, in UTF-16 code units. */
	readonly length: number;
}

/** `grant`: whether a channel is to be trusted. */
export type QuestionKind = "approval" | "grant" | "text" | "select" | "multi" | "password";

export interface QuestionOption {
	readonly value: string;
	readonly label: string;
	readonly description: string;
	readonly disabled: boolean;
}

/** The call that an approval is about, ready to be read. */
export interface ApprovalCall {
	/** Absent in questions that an earlier version stored. */
	readonly id?: string;
	readonly tool: string;
	readonly arguments: StoredText;
	/** Whether long values stand in the preview alone. */
	readonly brief: boolean;
	/** Whether the label says nothing that tool and arguments do not. */
	readonly told: boolean;
	/** A unified diff, or empty. */
	readonly preview: StoredText;
	readonly notes: readonly StoredText[];
	readonly risk: "low" | "normal" | "high" | "critical";
	readonly allowSession: boolean;
}

/** A question that waits for its answer, with all that its card shows. */
/** Kind and token of a question. */
export interface QuestionName {
	readonly token: string;
	readonly kind: QuestionKind;
}

/** Form of a question: its kind, its options, and the call that an approval is about. */
export interface QuestionForm {
	readonly kind: QuestionKind;
	readonly options: OpenQuestion["options"];
	readonly call?: NonNullable<OpenQuestion["call"]>;
}

export interface OpenQuestion extends QuestionName {
	readonly label: StoredText;
	readonly required: boolean;
	readonly options: readonly QuestionOption[];
	/** Options that are not kept. */
	readonly unlisted: number;
	/** What helps to answer, in the words of who asks: its name and the text. */
	readonly hints: readonly (readonly [name: string, text: StoredText])[];
	readonly reminders: number;
	/** Milliseconds since the epoch. */
	readonly expiresAt?: number;
	readonly task?: string;
	readonly call?: ApprovalCall;
	/** Other rooms in which it may be answered, as the gateway names them. */
	readonly alsoIn?: readonly string[];
	/** The reply of the model that the call of an approval belongs to. Absent if the gateway does not say it. */
	readonly reply?: { readonly id: string; readonly place: number; readonly count: number };
	/** The same call was asked before in that reply. */
	readonly again?: true;
}

/** What became of a question. */
export interface ClosedQuestion {
	readonly token: string;
	/** Markdown: what, by whom and when. */
	readonly outcome: string;
	/** Whose answer counted, as the gateway names them; absent where nobody answered. */
	readonly by?: string;
}

/** What a question goes by among people, in text and on the command line. */
export function codeOf(token: string): string {
	return token.slice(-6);
}

/** The card that shows a question. */
export function cardOf(token: string): string {
	return `prompt:${token}`;
}

/** The post that reminds of a question for the `count`th time: no other is ever shown in its place. */
export function reminderCardOf(token: string, count: number): string {
	return `${cardOf(token)}:reminder:${count}`;
}

/** The question that a card shows or reminds of; undefined where it is a card of something else. */
export function tokenOfCard(card: string): string | undefined {
	return /^prompt:(?<token>[^:]+)/u.exec(card)?.groups?.["token"];
}

const titles: Readonly<Record<QuestionKind, string>> = {
	approval: "Approval",
	grant: "Trust request",
	text: "Question",
	select: "Question",
	multi: "Question",
	password: "Question",
};

/** How the card of a question begins, and no other post: it is found by that. */
export function titleOf({ kind, token }: QuestionName): string {
	return `${titles[kind]} ${codeOf(token)}`;
}

/** The platform of a person or a room, as people write its name: `Discord` of `discord:1:2`. */
export function platformOf(id: string): string {
	const [name = ""] = id.split(":");
	return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}
