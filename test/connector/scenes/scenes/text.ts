import type { DiscordSite } from "../discord-site.ts";
import type { Scene } from "../step.ts";

const lines = (count: number, line: (index: number) => string): string =>
	Array.from({ length: count }, (_, index) => line(index)).join("\n");

export const text: readonly Scene<DiscordSite>[] = [
	{
		name: "a long answer is several posts: the first is a reply, and the last has the buttons",
		steps: [
			{ file: "long.txt", gets: lines(120, (index) => `Line ${index} is a sentence of some words.`) },
			{ says: "@Parley read: long.txt" },
			{ passes: 10_000 },
			{ shows: ["(to Mia", "Line 0 is"] },
			{ shows: ["Line 119 is", "[Good] [Bad] [Again]"] },
			{ shows: "(to Mia", times: 1 },
			{ shows: "[Good]", times: 1 },
		],
	},
	{
		name: "an answer of too many posts is a file with its start",
		only: "discord",
		steps: [
			{ file: "huge.txt", gets: lines(800, (index) => `Line ${index} is a sentence of some words.`) },
			{ says: "@Parley read: huge.txt" },
			{ shows: ["(to Mia", "answer.md", "file: answer.md", "[Good]"] },
			{ shows: "file: answer.md", times: 1 },
		],
	},
	{
		name: "an answer notifies no person",
		steps: [{ says: "@Parley say: <@1> @everyone @here <@&2> and all" }, { showsOnly: ["@everyone @here"] }],
	},
	{
		name: "each part of a split code block is a code block",
		only: "discord",
		steps: [
			{
				file: "code.md",
				gets: ["```js", lines(150, (index) => `const name${index} = ${index};`), "```"].join("\n"),
			},
			{ says: '@Parley tool: read_file {"path": "code.md"}' },
			{ passes: 10_000 },
			{ shows: "const name0 =" },
			{ shows: ["const name149 =", "[Good]"] },
			{
				what: "every post closes what it opens",
				does: ({ site }) => {
					const posts = site.general.shows().filter(({ author }) => author === "Parley");
					const broken = posts.filter(({ content }) => (content.match(/^\s*```/gm)?.length ?? 0) % 2 === 1);
					if (broken.length > 0)
						throw new Error(`broken: ${broken.map(({ content }) => content).join("\n---\n")}`);
				},
			},
		],
	},
	{
		name: "the columns of a table are aligned",
		steps: [
			{ says: "@Parley say: | a | b |\nsay: not a table" },
			{ shows: "not a table" },
			{ file: "table.md", gets: "| name | size |\n| --- | --- |\n| one | 1 |\n| two | 22 |\n" },
			{ says: "@Parley read: table.md" },
			{ shows: ["one", "22"] },
		],
	},
	{
		name: "Chinese, Japanese and emoji of several code points are never split",
		only: "discord",
		steps: [
			{
				file: "wide.txt",
				gets: lines(60, (index) => `${index} 漢字かな交じり文 👩‍👩‍👧‍👦🏳️‍🌈 e\u0301 한국어 ${"字".repeat(20)}`),
			},
			{ says: "@Parley read: wide.txt" },
			{ passes: 10_000 },
			{ shows: "[Good]" },
			{
				what: "no post has half of a character",
				does: ({ site }) => {
					const posts = site.general.shows().filter(({ author }) => author === "Parley");
					if (posts.length < 2) throw new Error("it was to be several posts");
					const broken = posts.filter(
						({ content }) => !content.isWellFormed() || /\u200d(?:\s|$)/u.test(content),
					);
					if (broken.length > 0) throw new Error("a character was cut");
				},
			},
		],
	},
	{
		name: "Markdown marks in quoted messages stay unchanged",
		steps: [
			{ says: "@Parley write: *a*_b_.txt <<< x" },
			{ shows: ["Approval", "*a*_b_.txt"] },
			{ says: "@Parley stop" },
			{ shows: "Stopped" },
		],
	},
	{
		name: "a file of the agent is attached",
		steps: [
			{ file: "report.csv", gets: "a,b\n1,2\n" },
			{ says: "@Parley send: report.csv" },
			{ shows: ["file: report.csv"], times: 1 },
			{ shows: "[Good]" },
		],
	},
	{
		name: "an empty answer has a note",
		steps: [{ says: "@Parley think: hm" }, { showsOnly: ["[offline] Done."] }],
	},
	{
		name: "a failure is explained, and can be retried",
		steps: [
			{ says: "@Parley fail: out of ideas" },
			{ shows: ["Your request failed", "out of ideas", "[Again]"] },
			{ clicks: "Again" },
			{ shows: "Your request failed", times: 2 },
		],
	},
	{
		name: "headings, lists, quotes and links have the form of the platform",
		steps: [
			{
				says: "@Parley say: # Title\nsay: - one\nsay: > quoted\nsay: [page](https://example.com/a) and <https://example.com/b>",
			},
			{ shows: ["# Title", "- one", "> quoted", "[page](https://example.com/a)"] },
		],
	},
];
