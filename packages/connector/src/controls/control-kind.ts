/**
 * What can be pressed, and the letter that stands for it in ids. Letters of posts that people still see: they are never
 * given to another kind.
 */
export const controlKinds = {
	/** Of a run. */
	stop: "q",
	again: "g",
	good: "u",
	bad: "n",
	/** Of an approval: its token. */
	approve: "a",
	"approve-session": "s",
	deny: "d",
	whole: "w",
	/** Of the calls of one card: see `writeDisplayed`. */
	"approve-all": "f",
	"deny-all": "j",
	/** Of an approval in the list of those that wait, perhaps of another room: its token. */
	"listed-approve": "o",
	"listed-deny": "l",
	"listed-whole": "h",
	/** Of another question: its token. */
	answer: "t",
	choose: "c",
	skip: "k",
	secret: "p",
	/** Of a task: its id. */
	"task-approve": "y",
	"task-revise": "r",
	"task-cancel": "x",
	"task-retry": "z",
	/** Of a grant. */
	"grant-end": "v",
	/** Of a message that was edited: its id on the platform. */
	rerun: "e",
} as const;

export type ControlKind = keyof typeof controlKinds;

/** Whether a press is about what may be of a room that this connector does not read. */
export function isOfOtherRooms(kind: ControlKind): boolean {
	return kind.startsWith("listed-");
}

/** A form that a press opens before anything else happens: platforms open one only as the first answer. */
export interface Form {
	readonly title: string;
	readonly fields: readonly {
		readonly name: string;
		readonly label: string;
		readonly long: boolean;
		readonly required: boolean;
		readonly most: number;
	}[];
}

const reason = {
	name: "reason",
	label: "Why not? The agent reads it",
	long: true,
	required: false,
	most: 300,
};

/** The forms of the kinds that have one; every other press arrives at once. */
export const forms: { readonly [Kind in ControlKind]?: Form } = {
	deny: { title: "Deny", fields: [reason] },
	"deny-all": { title: "Deny all", fields: [reason] },
	"listed-deny": { title: "Deny", fields: [reason] },
	answer: {
		title: "Your answer",
		fields: [{ name: "text", label: "Answer", long: true, required: true, most: 4000 }],
	},
	"task-revise": {
		title: "What should change?",
		fields: [{ name: "text", label: "Your words to the task", long: true, required: true, most: 4000 }],
	},
	bad: {
		title: "What was wrong?",
		fields: [{ name: "text", label: "For the operator", long: true, required: false, most: 1000 }],
	},
};
