import type { Scene, Step } from "../step.ts";

const slow = "long: 24 tokens at 2 per second";
const ended: readonly Step[] = [{ passes: 11_000 }, { typing: false }, { hides: "[Stop]" }];

export const working: readonly Scene[] = [
	{
		name: "the typing indicator is visible from the request to the end of a long answer, including a tool call",
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: `@Parley ${slow}\nread: notes.txt\n${slow}` },
			{ typesUntil: ["t24", "[Good]"] },
			...ended,
		],
	},
	{
		name: "the typing indicator is visible until an approval is open, and from its decision until the end of the run",
		steps: [
			{ says: `@Parley ${slow}\nwrite: notes.txt <<< hello\n${slow}` },
			{ typesUntil: "[Approve once]" },
			{ passes: 20_000 },
			{ typing: false },
			{ clicks: "Approve once", by: "Alex" },
			{ typesUntil: ["t24", "[Good]"] },
			{ file: "notes.txt", has: "hello" },
			...ended,
		],
	},
	{
		name: "the typing indicator is visible until the end of an answer that is posted when it is complete",
		place: { live: "off" },
		steps: [{ says: `@Parley ${slow}` }, { typesUntil: ["t24", "[Good]"] }, { typing: false }],
	},
	{
		name: "the typing indicator is visible for minutes without a post, longer than the platform shows it by default",
		place: { live: "off" },
		steps: [
			{ says: "@Parley long: 250 tokens at 2 per second" },
			{ typesUntil: ["t250", "[Good]"] },
			{ passes: 11_000 },
			{ typing: false },
		],
	},
];
