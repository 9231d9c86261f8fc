import { shownPosts } from "../shown-posts.ts";
import type { Scene, Step } from "../step.ts";

const request = "@Parley read: notes.txt\nread: notes.txt\nlong: 20 tokens at 2 per second";
const isEmpty: Step = {
	what: "the channel has no post of Parley",
	does: ({ site }) => {
		const posts = shownPosts(site, site.room("general", site.people.Mia));
		if (posts.length > 0) throw new Error(`it has ${posts.join("\n")}`);
	},
};
const growing = ["t3", "[Stop]"] as const;
const ended = ["t20", "[Good]"] as const;

export const levels: readonly Scene[] = [
	{
		name: "with the level off, an answer appears when it is complete, and the typing indicator ends with it",
		place: { live: "off" },
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: request },
			{ typing: true },
			{ passes: 4000 },
			isEmpty,
			{ passes: 20_000 },
			{ shows: [...ended, /^(?!.*2 tool calls)/s], times: 1 },
			{ typing: false },
		],
	},
	{
		name: "with the level text, the text grows without its tool calls",
		place: { live: "text" },
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: request },
			{ shows: [...growing, /^(?!.*✅)/s] },
			{ passes: 20_000 },
			{ shows: [...ended, /^(?!.*2 tool calls)/s], times: 1 },
			{ hides: "[Stop]" },
		],
	},
	{
		name: "with the usual level, the text grows with a line for each tool call, which become one line in the end",
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: request },
			{ shows: [...growing, /(?:✅ read_file(?! notes).*){2}/s] },
			{ passes: 20_000 },
			{ shows: [...ended, "2 tool calls"], times: 1 },
			{ hides: "[Stop]" },
		],
	},
	{
		name: "with the level everything, the line of a tool call has its subject",
		place: { live: "everything" },
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: request },
			{ shows: [...growing, "✅ read_file notes.txt"] },
			{ passes: 20_000 },
			{ shows: [...ended, "2 tool calls"], times: 1 },
			{ hides: "[Stop]" },
		],
	},
	{
		name: "no line of a tool call appears below an open question, and after its answer the calls are shown",
		steps: [
			{ file: "notes.txt", gets: "one\n" },
			{ says: "@Parley ask: Which port?\n& read: notes.txt\nlong: 20 tokens at 2 per second" },
			{ shows: ["Which port?", "[Answer]"] },
			{ passes: 10_000 },
			{ showsOnly: [["Which port?", "[Answer]"]] },
			{ restarts: "connector" },
			{ passes: 20_000 },
			{ showsOnly: [["Which port?", "[Answer]"]] },
			{ clicks: "Answer", fills: { Answer: "8080" } },
			{ shows: [...growing, "✅ read_file"] },
			{ passes: 20_000 },
			{ showsOnly: [["Which port?", "8080"], [...ended]] },
		],
	},
];
