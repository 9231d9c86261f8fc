import type { Scene, Step } from "../step.ts";

const requestsApproval: Step[] = [
	{ says: "@Parley write: notes.txt <<< hello" },
	{ shows: ["Approval", "write notes.txt", "[Edit and approve]", "[Deny]"] },
];

export const edits: readonly Scene[] = [
	{
		name: "an approver edits the arguments and approves: the edited call runs, and the card shows it",
		steps: [
			...requestsApproval,
			{ clicks: "Edit and approve", by: "Alex" },
			{ form: ["Edit and approve", "path", "content"] },
			{ clicks: "Edit and approve", by: "Alex", fills: { content: "good evening" } },
			{ answeredNothing: true },
			{ shows: ["✅ **Approved once**, with changed arguments, by @Alex", "good evening"] },
			{ shows: "write_file returned" },
			{ file: "notes.txt", has: "good evening" },
			{ hides: "[Edit and approve]" },
		],
	},
	{
		name: "a form that is sent unchanged approves the unchanged call",
		steps: [
			...requestsApproval,
			{ clicks: "Edit and approve", by: "Alex", fills: {} },
			{ shows: "✅ **Approved once** by @Alex" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "an edit that always requires approval is refused, and the approval stays open",
		steps: [
			...requestsApproval,
			{ clicks: "Edit and approve", by: "Alex", fills: { path: "/etc/parley-scene.txt" } },
			{ answered: ["Invalid answer", "always requires a separate approval", "[Edit again]"] },
			{ shows: "[Edit and approve]" },
			{ clicks: "Deny", by: "Alex", fills: {} },
			{ shows: "⛔ **Denied** by @Alex" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "after arguments that the tool refuses, the approval stays open, and the form can be reopened",
		steps: [
			...requestsApproval,
			{ clicks: "Edit and approve", by: "Alex", fills: { path: "" } },
			{ answered: ["Invalid answer", "The approval is still open", "[Edit again]"] },
			{ shows: "[Approve once]" },
			{ clicks: "Approve once", by: "Alex" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "a member without the right gets no form",
		steps: [
			...requestsApproval,
			{ clicks: "Edit and approve", by: "Max" },
			{ answered: "Not accepted" },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "an edit after an approval of another person makes that approval void",
		steps: [
			{ says: "@Parley write: prod/notes.txt <<< hello" },
			{ shows: ["0 of 2 approvals", "[Edit and approve]"] },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "**1 of 2 approvals**: @Alex" },
			{ clicks: "Edit and approve", by: "Olga", fills: { content: "good evening" } },
			{ shows: ["**1 of 2 approvals**: @Olga · arguments changed by @Olga", "+good evening"] },
			{ file: "prod/notes.txt", has: null },
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "✅ **Approved once**, with arguments that @Olga changed, by @Olga and @Alex" },
			{ file: "prod/notes.txt", has: "good evening" },
		],
	},
	{
		name: "a call with more text than a form can contain has no button for edits",
		// A Discord message cannot be longer than a form field, but a Slack message can.
		only: "slack",
		steps: [
			{ says: `@Parley write: notes.txt <<< ${"word ".repeat(700)}` },
			{ shows: ["Approval", "[Approve once]"] },
			{ hides: "[Edit and approve]" },
		],
	},
	{
		name: "one call of a card with several can be edited",
		steps: [
			{ says: "@Parley write: a.txt <<< one\n& write: b.txt <<< two" },
			{ shows: ["2 calls", "[Approve all]"] },
			{ clicks: "Details", by: "Alex" },
			{ answered: ["[Edit 1]", "[Edit 2]"] },
			{ clicks: "Edit 2", by: "Alex", fills: { content: "three" } },
			{ shows: ["**2.**", "with changed arguments, by @Alex", "content: three", "[Approve 1]"] },
			{ clicks: "Approve 1", on: "2 calls", by: "Alex" },
			{ file: "b.txt", has: "three" },
			{ file: "a.txt", has: "one" },
		],
	},
];
