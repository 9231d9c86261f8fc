import type { Scene, Step } from "../step.ts";

const slow = "long: 24 tokens at 2 per second";
const ended: readonly Step[] = [{ passes: 11_000 }, { typing: false }, { hides: "[Stop]" }];

/** Scenes about the typing indicator, or the status of a thread, during a run. */
export const working: readonly Scene[] = [
	{
		name: "typing lasts from the request until the end of a long answer, also over a tool call in its middle",
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: `@Parley ${slow}\nread: notes.txt\n${slow}` },
			{ typesUntil: ["t24", "[Good]"] },
			...ended,
		],
	},
	{
		name: "typing lasts until an approval waits, and from its decision until the end of the run",
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
		name: "typing lasts until the end of an answer that appears when it is complete",
		place: { live: "off" },
		steps: [{ says: `@Parley ${slow}` }, { typesUntil: ["t24", "[Good]"] }, { typing: false }],
	},
	{
		name: "typing lasts for minutes without a post, longer than the platform shows it by itself",
		place: { live: "off" },
		steps: [
			{ says: "@Parley long: 250 tokens at 2 per second" },
			{ typesUntil: ["t250", "[Good]"] },
			{ passes: 11_000 },
			{ typing: false },
		],
	},
];
