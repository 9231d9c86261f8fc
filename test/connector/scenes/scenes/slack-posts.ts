import type { SlackSite } from "../slack-site.ts";
import type { Scene } from "../step.ts";

const names = Array.from({ length: 150 }, (_, index) => `const name${index} = ${index};`);
const longCode = { file: "code.md", gets: ["```js", ...names, "```"].join("\n") };

export const slackPosts: readonly Scene<SlackSite>[] = [
	{
		name: "an answer notifies no person and embeds no image",
		steps: [
			{ says: "@Parley say: <@U1> <!here> <!channel> @everyone <!subteam^S1> :tada:" },
			{ shows: ["@everyone", ":tada:", "[Good]"] },
		],
	},
	{
		name: "the preview of a link is not an edit",
		steps: [
			{ says: "@Parley say: https://example.com/", as: "m" },
			{ shows: "example.com" },
			{
				what: "Slack adds a preview",
				does: ({ site }) => {
					const sentMessage = site.general.shows().find(({ author }) => author === "Mia");
					if (sentMessage) site.general.channel.unfurls(sentMessage);
				},
			},
			{ showsOnly: ["example.com"] },
		],
	},
	{
		name: "long code of an answer is a snippet, which the text names",
		steps: [
			longCode,
			{ says: '@Parley tool: read_file {"path": "code.md"}' },
			{ shows: ["The code is in code-1.js (150 lines).", "[Good]"], times: 1 },
			{ shows: "file: code-1.js", times: 1 },
			{ hides: "const name149" },
			{
				what: "the file is a snippet of its language",
				does: ({ site }) => {
					const [file] = [...site.simulator.state.files.values()].filter(({ name }) => name === "code-1.js");
					if (file?.snippet !== "javascript") throw new Error(`the language is ${file?.snippet}`);
				},
			},
		],
	},
	{
		name: "if Slack refuses the snippet, the text has the code",
		steps: [
			longCode,
			{ fault: "files.getUploadURLExternal", is: { error: "restricted_action" } },
			{ fault: "files.getUploadURLExternal", is: { error: "restricted_action" } },
			{ says: '@Parley tool: read_file {"path": "code.md"}' },
			{ shows: ["const name0 =", "const name149 =", "File not attached", "[Good]"], times: 1 },
			{ hides: "file: code-1.js" },
		],
	},
	{
		name: "an answer has the native buttons for feedback, and the operator sees the rating with its comment",
		steps: [
			{ says: "@Parley say: well" },
			{ shows: "[Good] [Bad] [Again]" },
			{ what: "the buttons are those of Slack", does: ({ site }) => checkNative(site, 1) },
			{ clicks: "Bad", by: "Max", fills: { "Comment for the operator": "too short" } },
			{ answered: "Thank you. The operator can read your feedback." },
			{
				what: "the operator lists the feedback",
				async does({ sceneGateway, operator }) {
					const { feedback } = await sceneGateway.through(operator.request("list_feedback", {}));
					const [rating] = feedback;
					if (feedback.length === 1 && rating?.rating === "bad" && rating.comment === "too short") return;
					throw new Error(`the feedback is ${JSON.stringify(feedback)}`);
				},
			},
		],
	},
	{
		name: "if Slack refuses the native buttons for feedback, an answer has usual ones",
		steps: [
			{ fault: "post", is: { error: "invalid_blocks" } },
			{ says: "@Parley say: well" },
			{ shows: "[Good] [Bad] [Again]", times: 1 },
			{ what: "the buttons are usual ones", does: ({ site }) => checkNative(site, 0) },
			{ clicks: "Good" },
			{ answered: "Thank you for your feedback." },
		],
	},
	{
		name: "a private answer arrives although its response URL has expired",
		steps: [
			{ says: "@Parley say: hello" },
			{ shows: "[Good]" },
			{ fault: "response_url", is: { error: "expired_url" } },
			{ clicks: "Good" },
			{ answered: "Thank you for your feedback." },
		],
	},
	{
		name: "an approval card that Slack refuses is replaced by a short one, which can be answered and is closed",
		steps: [
			{ fault: "post", is: { error: "invalid_blocks" } },
			{ says: "@Parley write: notes.txt <<< hi" },
			{
				shows: ["`write_file`", "I could not post the full card here.", "`!approvals`", "[Approve once]"],
				times: 1,
			},
			{ clicks: "Approve once", by: "Alex" },
			{ shows: "write_file returned", times: 1 },
			{ stuck: [] },
		],
	},
	{
		name: "a rate limit of one channel does not delay other channels",
		steps: [
			{ fault: "post", is: { status: 429, retryAfter: 60_000 } },
			{ says: "@Parley say: here", in: "top" },
			{ says: "@Parley say: there", in: "random" },
			{ shows: "[offline] there", in: "random" },
			{
				what: "the other one still waits",
				does: ({ site }) => {
					if (site.general.shows().length > 1) throw new Error("it did not wait");
				},
			},
			{ passes: 61_000 },
			{ shows: "[offline] here", times: 1 },
		],
	},
	{
		name: "a post that may exist in an unreadable channel waits for the operator",
		steps: [
			{ fault: "post", is: { drop: "after-commit" } },
			{ fault: "read", is: { error: "missing_scope" } },
			{ says: "@Parley say: hello" },
			{ passes: 30_000 },
			{ stuck: ["held: the connector cannot check whether the post was sent"] },
			{ showsOnly: ["[offline] hello"] },
		],
	},
	{
		name: "a channel that removed Parley is reported to the operator, with a next step",
		errors: [/a post was given up/],
		steps: [
			{ says: "@Parley long: 20 tokens at 2 per second", in: "random" },
			{ what: "Parley is sent away", does: ({ site }) => site.random.channel.loses() },
			{ passes: 30_000 },
			{ stuck: ["/invite @parley"] },
			{ says: "@Parley say: elsewhere" },
			{ showsOnly: ["[offline] elsewhere"] },
		],
	},
	{
		name: "a file that may have been shared is not uploaded twice",
		steps: [
			{ file: "report.csv", gets: "a,b\n1,2\n" },
			{ fault: "files.completeUploadExternal", is: { drop: "after-commit" } },
			{ says: "@Parley send: report.csv" },
			{ passes: 60_000 },
			{ shows: "file: report.csv", times: 1 },
			{ shows: "[Good]", times: 1 },
			{ stuck: [] },
		],
	},
	{
		name: "a shared file that becomes visible later is not uploaded twice",
		steps: [
			{
				what: "Slack takes its time",
				does: ({ site: { simulator } }) => {
					simulator.state.settings.shareMs = 8000;
				},
			},
			{ file: "report.csv", gets: "a,b\n1,2\n" },
			{ fault: "files.completeUploadExternal", is: { drop: "after-commit" } },
			{ says: "@Parley send: report.csv" },
			{ passes: 60_000 },
			{ shows: "file: report.csv", times: 1 },
			{ shows: "[Good]", times: 1 },
			{ stuck: [] },
		],
	},
	{
		name: "an answer of too many posts is a file with its start",
		steps: [
			{ says: "@Parley long: 40000 tokens" },
			{ shows: ["answer.md", "[Good]"] },
			{ shows: "file: answer.md", times: 1 },
		],
	},
	{
		name: "a table is a table block of Slack",
		steps: [
			{ file: "table.md", gets: "| name | size |\n| --- | --- |\n| one | 1 |\n" },
			{ says: '@Parley tool: read_file {"path": "table.md"}' },
			{ shows: ["one", "[Good]"] },
			{
				what: "it is a block",
				does: ({ site: { simulator } }) => {
					const messages = [...simulator.state.channels.values()].flatMap((channel) => channel.messages);
					const types = messages.flatMap(({ blocks }) => blocks.map(({ type }) => type));
					if (!types.includes("table")) throw new Error(`there are ${types.join()}`);
				},
			},
		],
	},
	{
		name: "a call that does not fit on its card can be read completely",
		steps: [
			{ file: "big.txt", gets: "a line of the old text\n".repeat(2000) },
			{ says: "@Parley write: big.txt <<< new" },
			{ shows: ["Not complete here", "[Details]"] },
			{ clicks: "Details", by: "Alex" },
			{ answered: "write_file" },
		],
	},
	{
		name: "the review of a plan in a thread is answered at its card",
		steps: [
			{ says: "@Parley say: hello", in: "top", as: "root" },
			{ replies: "@Parley !task new title:Tidy review: Right? <<< A plan.\nsay: carried out", to: "root" },
			{ shows: ["Waiting for your answer", "[Approve] [Revise]"] },
			{ notified: ["Mia"] },
			{ clicks: "Revise", by: "Alex", fills: { text: "two steps" } },
			{ shows: ["✅ **Done**", "two steps"] },
			{ showsOnly: [], in: "top" },
			{ notified: ["Mia"] },
		],
	},
];

function checkNative({ simulator }: SlackSite, times: number): void {
	const messages = [...simulator.state.channels.values()].flatMap((channel) => channel.messages);
	const native = messages
		.flatMap(({ blocks }) => blocks)
		.filter((block) => JSON.stringify(block).includes('"feedback_buttons"'));
	if (native.length !== times) throw new Error(`there are ${native.length} native pairs of buttons`);
}
