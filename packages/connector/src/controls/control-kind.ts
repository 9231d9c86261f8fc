import { answerTexts } from "../texts/answers.ts";
import { approvalTexts } from "../texts/approvals.ts";
import { questionTexts } from "../texts/questions.ts";
import { taskTexts } from "../texts/tasks.ts";

/** Kinds of controls with their letter in ids. A letter is never reused, because posts with old letters are still visible. */
export const controlKinds = {
	/** Subject: the id of a run; for `stop-answer`, the subject of a post: see `subjectOfPost`. */
	stop: "q",
	"stop-answer": "i",
	join: "b",
	again: "g",
	good: "u",
	bad: "n",
	/**
	 * Subject: the token of a question. For kinds that approve, the subject also contains the version of the call,
	 * except for trust requests and in posts of earlier versions of Parley.
	 */
	approve: "a",
	"approve-session": "s",
	deny: "d",
	details: "w",
	edit: "m",
	/** Subject: the calls of one card, see `writeDisplayed`. */
	"approve-all": "f",
	"deny-all": "j",
	/**
	 * Control that shows the complete calls to the person who presses it. Subject: as for `approve-all`. `review-all`
	 * replaces `approve-all` if the post does not completely show all calls that `approve-all` would approve.
	 */
	review: "W",
	"review-all": "A",
	/** Control that selects one call of a card. Subject: the first token of the card. */
	"review-call": "C",
	/**
	 * Subject: the token of an approval in a list. The approval may be from another channel. For `listed-approve`,
	 * the subject also contains the version of the call.
	 */
	"listed-approve": "o",
	"listed-deny": "l",
	"listed-details": "h",
	/** Subject: the token of a question that is not an approval. */
	answer: "t",
	choose: "c",
	skip: "k",
	secret: "p",
	/** Subject: the id of a task; for `task-approve` and `task-revise`, see `reviewSubject`. */
	"task-approve": "y",
	"task-revise": "r",
	"task-cancel": "x",
	"task-retry": "z",
	/** Subject: the id of a trust grant. */
	"grant-end": "v",
	/**
	 * Controls that act on a conversation of a channel or thread. Subject: the name of a model for `model-one`,
	 * otherwise `-`.
	 */
	"stop-one": "S",
	"info-one": "I",
	"usage-one": "U",
	"model-one": "M",
	"compact-one": "K",
	/** A suggested request on a home page, without a session. Subject: see `writeSuggested`. */
	suggested: "P",
	/** Subject: the platform id of an edited message. */
	rerun: "e",
} as const;

export type ControlKind = keyof typeof controlKinds;

/** Whether a control of this kind may refer to an approval in a room that this connector does not read. */
export function isOfOtherRooms(kind: ControlKind): boolean {
	return kind.startsWith("listed-");
}

/** A form that opens after a press. Platforms open a form only as the first response to the press. */
export interface Form {
	readonly title: string;
	readonly fields: readonly {
		readonly name: string;
		readonly label: string;
		readonly long: boolean;
		readonly required: boolean;
		readonly maximum: number;
		/** Text in the field when the form opens. */
		readonly value?: string;
	}[];
}

/**
 * Whether the form for this kind of control depends on the state of the control's target. `Connector.form` returns
 * such a form.
 */
export function hasFormOfTarget(kind: ControlKind): boolean {
	return kind === "edit";
}

const reason = {
	name: "reason",
	label: approvalTexts.denyForm.reason,
	long: true,
	required: false,
	maximum: 300,
};

/** Forms by kind. Presses of other kinds open no form, except kinds that pass `hasFormOfTarget`. */
export const forms: { readonly [Kind in ControlKind]?: Form } = {
	deny: { title: approvalTexts.denyForm.title, fields: [reason] },
	"deny-all": { title: approvalTexts.denyForm.allTitle, fields: [reason] },
	"listed-deny": { title: approvalTexts.denyForm.title, fields: [reason] },
	answer: textForm(questionTexts.answerForm, { required: true, maximum: 4000 }),
	"task-revise": textForm(taskTexts.reviseForm, { required: true, maximum: 4000 }),
	bad: textForm(answerTexts.feedbackForm, { required: false, maximum: 1000 }),
};

function textForm(
	{ title, text: label }: { readonly title: string; readonly text: string },
	{ required, maximum }: { readonly required: boolean; readonly maximum: number },
): Form {
	return { title, fields: [{ name: "text", label, long: true, required, maximum }] };
}
