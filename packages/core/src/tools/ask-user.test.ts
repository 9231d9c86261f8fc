import { systemClock } from "@parley/base";
import { pacedNow } from "@parley/base/testing";
import { expect, test } from "vitest";
import { createToolContext } from "../testing/tool-context.ts";
import type { Elicitation, ElicitationAnswer } from "../vocabulary/prompt.ts";
import { askUser } from "./ask-user.ts";
import { executeCall, prepareCall } from "./calls/tool-call.ts";

async function ask(args: object, answer: ElicitationAnswer = { outcome: "expired" }) {
	const questions: Elicitation[] = [];
	const context = createToolContext("/", {
		ask: async (question) => {
			questions.push(question);
			return answer;
		},
	});
	const prepared = await prepareCall([askUser], { name: "ask_user", arguments: args }, context);
	if (prepared.kind === "refused") return { refused: prepared.text };
	return { plan: prepared.plan, questions, result: await executeCall(prepared, context) };
}

test("a question needs no approval and reaches the person unchanged", async () => {
	const { plan, questions } = await ask({ type: "text", label: " Which name? ", validation: "[a-z]+" });
	expect(plan).toEqual({
		label: "ask Which name?",
		classes: ["person"],
		preview: "",
		binding: {},
		notes: [],
	});
	expect(questions).toEqual([
		{ type: "text", label: "Which name?", options: [], required: true, validation: "[a-z]+" },
	]);
});

test("options may be plain words or described", async () => {
	const options = [
		"tea",
		{ value: "c", label: "Coffee", description: "black", disabled: true },
		{ value: "w", label: "Water" },
	];
	const { questions } = await ask({ type: "select", label: "Drink?", options, required: false });
	expect(questions?.[0]).toEqual({
		type: "select",
		label: "Drink?",
		options: [
			{ value: "tea", label: "tea", description: "", disabled: false },
			{ value: "c", label: "Coffee", description: "black", disabled: true },
			{ value: "w", label: "Water", description: "", disabled: false },
		],
		required: false,
		validation: "",
	});
});

test.each<[ElicitationAnswer, string, boolean]>([
	[{ outcome: "answered", value: "Ada" }, "Ada", false],
	[{ outcome: "answered", value: "" }, "(an empty answer)", false],
	[{ outcome: "answered", value: ["a", "b"] }, '["a","b"]', false],
	[{ outcome: "answered", value: "secret:s_1" }, "secret:s_1", false],
	[{ outcome: "cancelled" }, "the person declined to answer", true],
	[{ outcome: "cancelled", reason: "later" }, "the person declined to answer: later", true],
	[{ outcome: "expired" }, "no answer: the question expired", true],
])("the answer %j reaches the model", async (answer, text, failed) => {
	expect((await ask({ type: "text", label: "?" }, answer)).result).toEqual({ text, failed });
});

test.each([
	[{ type: "select", label: "?" }, "options: select needs an option that is not disabled"],
	[
		{ type: "multi", label: "?", options: [{ value: "a", label: "a", disabled: true }] },
		"options: multi needs an option that is not disabled",
	],
	[{ type: "text", label: "?", options: ["a"] }, "options: text accepts no options: use select or multi"],
	[
		{ type: "select", label: "?", options: ["a"], validation: "a" },
		"validation: select accepts no validation, because the options are the valid answers: leave validation out",
	],
	[{ type: "select", label: "?", options: ["a", { value: "a", label: "b" }] }, 'options: "a" occurs twice'],
	[{ type: "text", label: "?", validation: "(" }, "validation: the pattern is not valid RE2 syntax"],
	[{ type: "text", label: "?", validation: "(?=a)b" }, "validation: the pattern is not valid RE2 syntax"],
	[{ type: "text", label: "?", validation: "(a)\\1" }, "validation: the pattern is not valid RE2 syntax"],
	[{ type: "text", label: "  " }, "invalid arguments of ask_user: label:"],
	[{ type: "confirm", label: "?" }, "invalid arguments of ask_user: type:"],
	[
		{ type: "select", label: "?", options: [1] },
		"options.0: expected string, received number, or expected object",
	],
	[{ type: "select", label: "?", options: [{ value: "a" }] }, "options.0"],
])("%j is an invalid question", async (args, reason) => {
	expect((await ask(args)).refused).toContain(reason);
});

test("a pattern that grows when it is compiled is fast", async () => {
	const start = systemClock.monotonic();
	await ask({ type: "text", label: "?", validation: `${"(".repeat(50)}a${"{50})".repeat(50)}` });
	await ask({ type: "text", label: "?", validation: "(a{1000}){1000}" });
	await ask({ type: "text", label: "?", validation: "((a{30}){30}){30}" });
	await ask({ type: "text", label: "?", validation: "\\pL{1000}".repeat(50) });
	expect(systemClock.monotonic() - start).toBeLessThan(pacedNow(2_000));
});
