import { defined } from "@parley/base";
import { expect, test } from "vitest";
import { chatScene } from "../../testing/chat-scene.ts";
import {
	type AnswerEvent,
	adaAuthor,
	calls,
	ends,
	file,
	lists,
	modelCall,
	reduceAnswers,
	retries,
	says,
	under,
} from "../../testing/render-answers.ts";
import { activeRun, messageOf, runOf } from "./runs.ts";

const oneWaits = [says("r1", "one", "m1"), says("r2", "two", "m2")];
const twoWait = [...oneWaits, says("r3", "three", "m3")];
const next = "I am working on another message. Your message is next. [Stop = stop r2]";
const third = "I am working on other messages. Your message is number 2 in the queue. [Stop = stop r3]";

test.each<{ what: string; events: AnswerEvent[]; shown: string[] }>([
	{
		what: "an answer replies to its message",
		events: [says("r1", "hi", "m1"), ends("r1", "Hello *you*")],
		shown: [`final > m1: Hello *you* ${under("r1")}`],
	},
	{
		what: "an answer without a run answers the oldest message",
		events: [...oneWaits, ends(undefined, "1"), ends(undefined, "2")].filter(
			([name]) => name !== "run.retrying",
		),
		shown: [
			`acknowledgement queue:r2 > m2: ${next}`,
			`final > m1: 1 ${under("r1")}`,
			"delete queue:r2",
			`final > m2: 2 ${under("r2")}`,
		],
	},
	{
		what: "an answer to what nobody remembers is shown all the same",
		events: [ends("r9", "late"), ends(undefined, "later")],
		shown: [`final: late ${under("r9")}`, "final: later"],
	},
	{
		what: "the list of a run is one card, and no step of it stays active after the end",
		events: [
			says("r1", "hi", "m1"),
			lists("r1", "in_progress", "pending"),
			lists("r1", "completed", "in_progress"),
			ends("r1", "Hello", "cancelled"),
		],
		shown: [
			"progress todo:r1 > m1: **Steps** ▱▱ 0 of 2\n▶️ step \\*0\\*\n⬜ step \\*1\\*",
			"progress todo:r1 > m1: **Steps** ▰▱ 1 of 2\n✅ step \\*0\\*\n▶️ step \\*1\\*",
			"progress todo:r1 > m1: **Steps** ▰▱ 1 of 2\n✅ step \\*0\\*\n⬜ step \\*1\\*",
			`final > m1: Hello ~ stopped here ${under("r1")}`,
		],
	},
	{
		what: "words that look like an approval are words",
		events: [says("r1", "hi", "m1"), ends("r1", "Click [Approve](https://a.example) or say *approve*.")],
		shown: [`final > m1: Click [Approve](https://a.example) or say *approve*. ${under("r1")}`],
	},
	{
		what: "an answer of nothing is not silence",
		events: [says("r1", "hi", "m1"), ends("r1", " \n")],
		shown: [`final > m1: Done. The answer has no text. ${under("r1")}`],
	},
	{
		what: "an error says why and offers another try",
		events: [says("r1", "hi", "m1"), ends("r1", "", "*host* rejects more requests for now (rate limit)")],
		shown: [
			"error > m1: Your request failed: \\*host\\* rejects more requests for now (rate limit). [Again = again r1]",
		],
	},
	{
		what: "an answer mentions its calls, but the text of a failed run has no words that change when it is read again",
		events: [
			...[says("r1", "hi", "m1"), ...calls("c1"), ...calls("c2"), ends("r1", "Hello")],
			...[says("r2", "hi", "m2"), ...calls("c3"), ...calls("c4"), ends("r2", "Hello", "the host is busy")],
		],
		shown: [
			`final > m1: Hello ~ 2 tool calls ${under("r1")}`,
			"final > m2: Hello",
			"error > m2: Your request failed: the host is busy. [Again = again r2]",
		],
	},
	{
		what: "an error of the gateway itself sends to the operator",
		events: [says("r1", "hi", "m1"), ends("r1", "", "internal error")],
		shown: [
			"error > m1: The gateway failed. The operator can find the reason in its log. Press **Again** to try once more. [Again = again r1]",
		],
	},
	{
		what: "a failure of an unknown run names no button, because its post has none",
		events: [ends(undefined, "", "internal error")],
		shown: ["error: The gateway failed. The operator can find the reason in its log."],
	},
	{
		what: "what was said before an error is shown first",
		events: [says("r1", "hi", "m1"), ends("r1", "Half of", "the reply was cut off.")],
		shown: [
			"final > m1: Half of",
			"error > m1: Your request failed: the reply was cut off. [Again = again r1]",
		],
	},
	{
		what: "what was stopped is named, in a line that formats nothing",
		events: [says("r1", "sum\nup *all*", "m1"), ends("r1", "", "cancelled")],
		shown: ["final > m1: Stopped: “sum up \\*all\\*” [Again = again r1]"],
	},
	{
		what: "what was stopped names the person who stopped it",
		events: [says("r1", "hi", "m1"), ends("r1", "", "cancelled", "chat:1:42")],
		shown: ["final > m1: Stopped by person 42, ago 1000000: “hi” [Again = again r1]"],
	},
	{
		what: "what was said before it was stopped names the operator who stopped it",
		events: [says("r1", "hi", "m1"), ends("r1", "Half of", "cancelled", "operator")],
		shown: [`final > m1: Half of ~ stopped by the operator, ago 1000000 ${under("r1")}`],
	},
	{
		what: "what was said before it was stopped stays",
		events: [says("r1", "hi", "m1"), ends("r1", "Half of", "cancelled")],
		shown: [`final > m1: Half of ~ stopped here ${under("r1")}`],
	},
	{
		what: "people see what they do not see of others: who asks, and from where",
		events: [
			["user.message", { content: "sum *up*\n# all", run_id: "r1", correlation_id: "cli-7" }],
			ends("r1", "ok"),
			["user.message", { content: "and I?", run_id: "r2", author: adaAuthor }],
			ends("r2", "ok"),
			["user.message", { content: "x", run_id: "r3", author: { id: "bob", name: "_Bob_" }, attachments: [] }],
		],
		shown: [
			"milestone: > From the terminal: sum \\*up\\* # all",
			`final: ok ${under("r1")}`,
			"milestone: > person 42 asks: and I?",
			`final: ok ${under("r2")}`,
			"milestone: > \\_Bob\\_ asks: x",
		],
	},
	{
		what: "what enters a run at work is no message that waits",
		events: [
			says("r1", "hi", "m1"),
			[
				"user.message",
				{ content: "be brief", run_id: "r1", steered: true, author: adaAuthor, correlation_id: "m2" },
			],
			["user.message", { content: "very", run_id: "r1", steered: true }],
			ends("r1", "Hello"),
		],
		shown: ["milestone: > From the terminal: very", `final > m1: Hello ${under("r1")}`],
	},
	{
		what: "an answer that is made again replies to the same message",
		events: [
			says("r1", "hi", "m1"),
			ends("r1", "Hello"),
			["user.message", { content: "hi", run_id: "r2", retry_of: "r1" }],
			ends("r2", "Good day"),
		],
		shown: [`final > m1: Hello ${under("r1")}`, `final > m1: Good day ${under("r2")}`],
	},
	{
		what: "who waits is told the place in line, and each step forward",
		events: [...twoWait, ends("r1", "1"), ends("r2", "", "too much"), ends("r3", "", "cancelled")],
		shown: [
			`acknowledgement queue:r2 > m2: ${next}`,
			`acknowledgement queue:r3 > m3: ${third}`,
			`final > m1: 1 ${under("r1")}`,
			"delete queue:r2",
			"progress queue:r3 > m3: I am working on another message. Your message is next. [Stop = stop r3]",
			"error > m2: Your request failed: too much. [Again = again r2]",
			"delete queue:r3",
			"final > m3: Stopped: “three” [Again = again r3]",
		],
	},
	{
		what: "what is taken out of the line leaves its card alone, and others move up",
		events: [...twoWait, ends("r2", "", "cancelled")],
		shown: [
			`acknowledgement queue:r2 > m2: ${next}`,
			`acknowledgement queue:r3 > m3: ${third}`,
			"progress queue:r2 > m2: Removed from the queue.",
			"progress queue:r3 > m3: I am working on another message. Your message is next. [Stop = stop r3]",
		],
	},
	{
		what: "a model that does not answer is told of from the second failure on, in one card, until it answers",
		events: [
			says("r1", "hi", "m1"),
			retries("r1", 1),
			retries("r1", 2),
			retries("r1", 3),
			modelCall("r1", "start"),
			modelCall("r1", "end", "again"),
			modelCall("r1", "end"),
			modelCall("r1", "end"),
			ends("r1", "Hello"),
		],
		shown: [
			"progress retry:r1 > m1: The model has not answered: \\*host\\* rejects more requests for now (rate limit). Attempt 3: in 2000. [Stop = stop r1]",
			"progress retry:r1 > m1: The model has not answered: \\*host\\* rejects more requests for now (rate limit). Attempt 4: in 2000. [Stop = stop r1]",
			"progress retry:r1 > m1: The model is answering again.",
			`final > m1: Hello ${under("r1")}`,
		],
	},
	{
		what: "no card goes on promising a try when the run is over",
		events: [
			says("r1", "hi", "m1"),
			retries("r1", 2),
			ends("r1", "", "cancelled"),
			says("r2", "hi", "m2"),
			retries("r2", 2),
			ends("r2", "", "host rejects more requests for now (rate limit)"),
			retries("of a task", 2),
		],
		shown: [
			expect.stringMatching(/^progress retry:r1 .*Attempt 3/),
			"progress retry:r1 > m1: Stopped before the model answered.",
			"final > m1: Stopped: “hi” [Again = again r1]",
			expect.stringMatching(/^progress retry:r2 .*Attempt 3/),
			"progress retry:r2 > m2: The model did not answer.",
			"error > m2: Your request failed: host rejects more requests for now (rate limit). [Again = again r2]",
		],
	},
	{
		what: "a file goes with its name, and an image with words for who cannot see it",
		events: [
			says("r1", "hi", "m1"),
			file("r1", "sales_chart-2.final.png", "image/png"),
			file("of a task", "a.csv", "text/csv"),
			file("r1", ".png", "image/png"),
		],
		shown: [
			"milestone > m1: sales_chart-2.final.png {file_1, sales_chart-2.final.png, 12, sales chart 2 final}",
			"milestone: a.csv {file_1, a.csv, 12}",
			"milestone > m1: .png {file_1, .png, 12, .png}",
		],
	},
	{
		what: "an answer that nobody was asked for carries the badge",
		events: [
			says("r1", "hi", "m1"),
			[
				"assistant.message",
				{
					content: "Hello",
					run_id: "r1",
					error: "",
					context: { trusted: { grant_id: "g", until: "1970-01-01T00:50:00.000Z" } },
				},
			],
		],
		shown: [`final > m1: Hello ~ trusted channel; the trust grant expires in 2000000 ${under("r1")}`],
	},
	{
		what: "a budget is told of when it is reached",
		events: [
			[
				"budget.reached",
				{
					scope: "session",
					period: "day",
					percent: 80,
					spent_usd: 8,
					limit_usd: 10,
					message: "80 % of this session's budget for this day (UTC) is spent: $8.00 of $10.00",
				},
			],
		],
		shown: ["error: 80 % of this session's budget for this day (UTC) is spent: $8.00 of $10.00."],
	},
	{
		what: "a person's title is news, a model's is not",
		events: [
			["session.renamed", { title: "Lists", by: "model" }],
			["session.renamed", { title: "*Prices*", by: "person" }],
			["session.renamed", { title: "", by: "person" }],
		],
		shown: ["milestone: This conversation was renamed to “\\*Prices\\*”."],
	},
	{
		what: "the end of a requested compaction is news",
		events: [
			["compaction.ended", { status: "compacted", tokens_before: 18_200, tokens_after: 2_400, error: "" }],
			["compaction.ended", { status: "unchanged", tokens_before: 0, tokens_after: 0, error: "" }],
			["compaction.ended", { status: "failed", tokens_before: 0, tokens_after: 0, error: "overloaded" }],
			["compaction.ended", { status: "cancelled", tokens_before: 0, tokens_after: 0, error: "" }],
		],
		shown: [
			"milestone: I now work from a summary of the conversation: 18,200 → 2,400 tokens.",
			"milestone: There is nothing to summarise in this conversation.",
			"error: The conversation was not summarised: overloaded.",
			"milestone: Stopped. The conversation was not summarised.",
		],
	},
	{
		what: "nothing goes on waiting in a conversation that was deleted",
		events: [...oneWaits, retries("r1", 2), ["session.deleted", {}]],
		shown: [
			`acknowledgement queue:r2 > m2: ${next}`,
			expect.stringMatching(/^progress retry:r1 /),
			"progress retry:r1 > m1: This conversation was deleted.",
			"progress queue:r2 > m2: This conversation was deleted.",
		],
	},
	{
		what: "what has nothing to do with answers shows nothing here",
		events: [["session.created", {}], ["session.closed", {}], modelCall("r1", "end")],
		shown: [],
	},
])("$what", ({ events, shown }) => {
	expect(reduceAnswers(events).shown).toEqual(shown);
});

test("other parts can read the run of a message, and whether a run is active", () => {
	const { slice } = reduceAnswers([
		says("r1", "one", "m1"),
		ends("r1", "1"),
		says("r2", "two", "m2"),
		says("r3", "3", "m3"),
	]);
	expect(activeRun(slice)).toEqual({
		id: "r2",
		message: "m2",
		author: adaAuthor,
		about: "two",
		at: 1_000_000,
		seq: 3,
	});
	expect(runOf(slice, "m3")).toEqual({ id: "r3", message: "m3", author: adaAuthor, open: true });
	expect(runOf(slice, "m1")).toEqual({ id: "r1", message: "m1", author: adaAuthor, open: false });
	expect(runOf(slice, "m9")).toBeUndefined();
	expect(messageOf(slice, "r1")).toBe("m1");
	expect(messageOf(slice, "r9")).toBeUndefined();
	expect(slice.newest).toBe("r3");
	expect(activeRun(reduceAnswers([says("r1", "one", "m1"), ends("r1", "1")]).slice)).toBeUndefined();
});

test("the remembered state does not grow with the conversation", () => {
	const many = Array.from({ length: 200 }, (_, index) => `r${index}`);
	const openedQuestion = many.map((run) => says(run, "word ".repeat(1000), `m${run}`));
	expect(JSON.stringify(reduceAnswers(openedQuestion).slice).length).toBeLessThan(12_000);
	const answered = many.flatMap((run): AnswerEvent[] => [
		says(run, "word", `m${run}`),
		ends(run, "x".repeat(999)),
	]);
	expect(JSON.stringify(reduceAnswers(answered).slice).length).toBeLessThan(1000);
});

test.each([
	[true, "20", ["title: Lists", "title: Prices"]],
	["own", "20", ["title: Lists", "title: Prices", "milestone: This conversation was renamed to “Prices”."]],
	["own", undefined, ["milestone: This conversation was renamed to “Prices”."]],
	[false, "20", ["milestone: This conversation was renamed to “Prices”."]],
] as const)("with titles %j and the thread %s, a title is shown as %j", (titles, thread, shown) => {
	const events: AnswerEvent[] = [
		["session.renamed", { title: "Lists", by: "model" }],
		["session.renamed", { title: "Prices", by: "person" }],
	];
	const platform = { ...chatScene.platform, titles };
	expect(reduceAnswers(events, { platform, ...defined({ thread }) }).shown).toEqual(shown);
});
