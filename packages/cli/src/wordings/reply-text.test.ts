import { expect, test } from "vitest";
import { ReplyText } from "./reply-text.ts";

type Step = { delta: string } | { finish: string } | "start" | "end";

/** Returns the shown texts of the steps. `↻` marks a new beginning of the text. */
function show(...steps: readonly Step[]): string {
	const reply = new ReplyText();
	return steps
		.map((step) => {
			if (step === "start") reply.start();
			else if (step === "end") reply.end();
			else {
				const shown = "delta" in step ? reply.delta(step.delta) : reply.finish(step.finish);
				return `${shown.restarted ? "↻" : ""}${shown.text}`;
			}
			return "";
		})
		.join("");
}

const hello: readonly Step[] = ["start", { delta: "hello " }, { delta: "wor" }];

test.each<[string, readonly Step[], string]>([
	[
		"what was streamed is not shown again at the end",
		[...hello, { delta: "ld" }, "end", { finish: "hello world" }],
		"hello world",
	],
	["the end adds what was missed of a reply", [...hello, { finish: "hello world" }], "hello world"],
	["a run that was missed as a whole is shown", [{ finish: "hello world" }], "hello world"],
	[
		"a reply that is streamed again continues",
		[...hello, "start", { delta: "hello world" }, "end"],
		"hello world",
	],
	["also piece by piece", [...hello, "start", { delta: "hel" }, { delta: "lo world!" }], "hello world!"],
	[
		"a reply that begins anew in other words is shown as a whole",
		[...hello, "start", { delta: "good day" }],
		"hello wor↻good day",
	],
	[
		"two replies of one run are both shown",
		[...hello, "end", "start", { delta: "hello again" }, "end", { finish: "hello again" }],
		"hello worhello again",
	],
	[
		"a last reply that was missed is shown as a whole",
		[...hello, "end", { finish: "hello worm" }],
		"hello worhello worm",
	],
	[
		"where the last reply has no text, the end repeats all replies",
		["start", { delta: "one" }, "end", "start", { delta: "two" }, "end", { finish: "one\n\ntwo" }],
		"onetwo",
	],
	["an empty end adds nothing", [...hello, "end", { finish: "" }], "hello wor"],
	[
		"the next run begins anew",
		[...hello, { finish: "hello world" }, ...hello, { finish: "hello world" }],
		"hello worldhello world",
	],
])("%s", (_, steps, shown) => {
	expect(show(...steps)).toBe(shown);
});

test("removes a dropped reply from the text of the run", () => {
	const reply = new ReplyText();
	reply.start();
	reply.delta("one ");
	reply.end();
	reply.start();
	reply.delta("broken");
	reply.end();
	reply.drop();
	reply.start();
	expect(reply.delta("two").text).toBe("two");
	reply.end();
	expect(reply.finish("one two").text).toBe("");
});
