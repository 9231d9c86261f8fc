import type { Scene, Step } from "../step.ts";

const requestsApproval: Step[] = [
	{ says: "@Parley write: notes.txt <<< hello" },
	{ shows: ["Approval", "[Approve once]"] },
	{ calls: "card", on: "[Approve once]" },
];

const suspended: Step[] = [
	{ says: "@Parley !task new title:Tidy review: Right? <<< One step.\nsay: carried out" },
	{ shows: ["⏸️ **Waiting for your answer**: Right?", "[Approve] [Revise]"], in: "Tidy" },
	{ notified: ["Mia"] },
	{ calls: "plan", on: "[Approve] [Revise]", in: "Tidy" },
	{ calls: "root", on: "[Cancel]" },
];

export const late: readonly Scene[] = [
	{
		name: "a press after another person has approved shows the approver and the time",
		steps: [
			...requestsApproval,
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "✅ **Approved" },
			{ clicks: "Approve once", on: "card", by: "Olga", late: true },
			{ answered: ["Already answered", "✅ **Approved", "by @Alex", "second"] },
			{ clicks: "Deny", on: "card", by: "Olga", late: true, fills: { reason: "no" } },
			{ answered: ["Already answered", "by @Alex"] },
			{ hides: "by @Olga" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "a press after the work was stopped reports that, and runs no call",
		steps: [
			...requestsApproval,
			{ says: "@Parley stop" },
			{ shows: "⌛ **No answer**" },
			{ clicks: "Approve once", on: "card", by: "Alex", late: true },
			{ answered: ["This request is closed", "@Mia stopped the work", "second"] },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a press after the expiry reports that, and runs no call",
		place: { approvalHours: 0.1 },
		steps: [
			...requestsApproval,
			{ passes: 7 * 60_000 },
			{ shows: "the request expired" },
			{ clicks: "Approve once", on: "card", by: "Alex", late: true },
			{ answered: ["This request is closed", "the request expired, 1 minute ago"] },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a press after its card was deleted reports the outcome of the question",
		errors: [/a post was given up/],
		steps: [
			...requestsApproval,
			{ moderates: "card" },
			{ says: "@Parley stop" },
			{ passes: 5000 },
			{ clicks: "Approve once", on: "card", by: "Alex", late: true },
			{ answered: ["This request is closed", "@Mia stopped the work"] },
			{ file: "notes.txt", has: null },
		],
	},
	{
		name: "a press during the deletion of its card is accepted, and the answer shows its outcome",
		errors: [/a post was given up/],
		steps: [
			...requestsApproval,
			{ moderates: "card" },
			{ clicks: "Approve once", on: "card", by: "Alex", late: true },
			{ shows: "write_file returned" },
			{ file: "notes.txt", has: "hello" },
		],
	},
	{
		name: "presses on the cards of an ended task report its end",
		steps: [
			...suspended,
			{ clicks: "Cancel" },
			{ shows: "⏹️ **Cancelled** by @Mia", in: "Tidy" },
			{ clicks: "Approve", on: "plan", by: "Alex", late: true },
			{ answered: /\*\*Tidy\*\* has ended .*Cancelled by @Mia, .* ago/ },
			{ clicks: "Revise", on: "plan", by: "Alex", late: true, fills: { text: "more" } },
			{ answered: /\*\*Tidy\*\* has ended .*Cancelled by @Mia, .* ago/ },
			{ clicks: "Cancel", on: "root", by: "Alex", late: true },
			{ answered: /This task had already ended.*Cancelled by @Mia, .* ago/s },
			{ hides: "carried out", in: "Tidy" },
		],
	},
	{
		name: "a press after the review of a plan reports the reviewer",
		steps: [
			...suspended,
			{ clicks: "Approve", by: "Alex" },
			{ shows: "✅ **Done**", in: "Tidy" },
			{ clicks: "Approve", on: "plan", by: "Olga", late: true },
			{ answered: /\*\*Tidy\*\* has ended .*Done, .* ago/ },
			{ shows: "✅ **Done**", in: "Tidy", times: 1 },
			{ notified: ["Mia"] },
		],
	},
	{
		name: "a press of Stop on a waiting message, after its answer, reports that",
		steps: [
			{ says: "@Parley long: 40 tokens at 10 per second" },
			{ says: "@Parley say: second", by: "Max" },
			{ shows: ["(to Max)", "[Stop]"] },
			{ calls: "waiting", on: "[Stop]" },
			{ shows: ["(to Max)", "[offline] second"] },
			{ clicks: "Stop", on: "waiting", late: true, by: "Max" },
			{ answered: "This request had already ended" },
		],
	},
];
