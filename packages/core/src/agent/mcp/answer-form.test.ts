import type { ElicitRequestParams } from "@modelcontextprotocol/client";
import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import type { Elicitation } from "../../vocabulary/prompt.ts";
import { answerForm } from "./answer-form.ts";

const redactor = new Redactor();
const redact = (text: string) => redactor.redact(text);

async function play(schema: object, answer: string, required: readonly string[] = ["size"]) {
	let question: Elicitation | undefined;
	const requestedSchema = { type: "object", properties: { size: schema }, required };
	// The cast is safe because a server can send any schema, as this test does.
	const params = { message: "Which one?", requestedSchema } as unknown as ElicitRequestParams;
	const result = await answerForm(params, "shop", {
		async ask(elicitation) {
			question = elicitation;
			return { outcome: "answered", value: answer };
		},
		redact,
	});
	return { question, result };
}

const titled = {
	oneOf: [
		{ const: "s", title: "Small" },
		{ const: "l", title: "Large" },
	],
	type: "string",
};
const named = { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] };

test.each([titled, named])(
	"a person sees the titles of choices, and the server gets the value: %j",
	async (schema) => {
		const { question, result } = await play(schema, "l");
		expect(question).toMatchObject({ type: "select", required: true });
		expect(question?.options.map(({ value, label }) => [value, label])).toEqual([
			["s", "Small"],
			["l", "Large"],
		]);
		expect(result).toEqual({ action: "accept", content: { size: "l" } });
	},
);

test("an empty answer is the default, and the question shows it", async () => {
	const { question, result } = await play({ type: "integer", default: 4 }, "");
	expect(question).toMatchObject({ required: false, label: expect.stringContaining("(size, default: 4)") });
	expect(result).toEqual({ action: "accept", content: { size: 4 } });
	const agreed = await play({ type: "boolean", default: false }, "");
	expect(agreed.result).toEqual({ action: "accept", content: { size: false } });
	const lied = await play({ ...titled, default: "xl" }, "s");
	expect(lied.question).toMatchObject({ required: true });
});

test("an optional field without an answer is left out", async () => {
	const { question, result } = await play({ type: "string" }, "", []);
	expect(question).toMatchObject({ required: false, label: expect.stringContaining("(size, optional)") });
	expect(result).toEqual({ action: "accept", content: {} });
});

test.each([
	{ type: "string", oneOf: [] },
	{ type: "string", oneOf: [{ const: "a" }, { const: "a" }] },
	{ type: "string", oneOf: [null, undefined] },
	{ type: "array", items: { type: "string" } },
	{ type: "array", items: { enum: ["a", "b"] }, minItems: 3 },
	{ type: "string", title: "Your password" },
	{ type: "string", enum: Array.from({ length: 26 }, String) },
])("a form that cannot be one question is declined: %j", async (schema) => {
	const { question, result } = await play(schema, "a");
	expect(question).toBeUndefined();
	expect(result).toEqual({ action: "decline" });
});

test("a form without fields is confirmed with yes or no", async () => {
	const params = { message: "Go on?", requestedSchema: { type: "object" as const, properties: {} } };
	const result = (value: string) =>
		answerForm(params, "shop", { ask: () => Promise.resolve({ outcome: "answered", value }), redact });
	expect(await result("yes")).toEqual({ action: "accept" });
	expect(await result("no")).toEqual({ action: "decline" });
});

test("the default of a field of several choices is used for an empty answer", async () => {
	const items = { anyOf: [{ const: "s", title: "Small" }, { const: "l" }] };
	const { question, result } = await play({ type: "array", items, default: ["l"] }, "");
	expect(question).toMatchObject({ type: "multi", label: expect.stringContaining("default: l") });
	expect(question?.options.map(({ label }) => label)).toEqual(["Small", "l"]);
	expect(result).toEqual({ action: "accept", content: { size: ["l"] } });
});

test.each([
	"http://shop.example.com/",
	"javascript:alert(1)",
	"https://user:pw@shop.example.com/",
	`https://shop.example.com/${"a".repeat(1_500)}`,
	"no address",
])("an address is declined without a question: %s", async (url) => {
	const params = { mode: "url" as const, elicitationId: "e1", message: "Open it", url };
	const result = await answerForm(params, "shop", { ask: () => expect.unreachable("a question"), redact });
	expect(result).toEqual({ action: "decline" });
});

test("the host of an address is shown in ASCII, so that no other host looks the same", async () => {
	const url = "https://\u0430pple.example/\u202Elogin";
	const params = { mode: "url" as const, elicitationId: "e1", message: "Open it", url };
	let label = "";
	await answerForm(params, "shop", {
		ask(question) {
			label = question.label;
			return Promise.resolve({ outcome: "expired" });
		},
		redact,
	});
	expect(label).toContain("a page of xn--pple-43d.example: Open it");
	expect(label).toContain("https://xn--pple-43d.example/%E2%80%AElogin");
});

test("a text that is shortened within a secret shows no part of the secret", async () => {
	const token = `ghp_${"aB3d".repeat(9)}`;
	const leaking = (longest: number): string => `${"a ".repeat(longest / 2 - 8)}${token}`;
	const choices = [{ const: "a", title: leaking(200) }, { const: leaking(1_000) }];
	const schema = { type: "string", title: leaking(1_000), default: leaking(1_000), oneOf: choices };
	const { question, result } = await play(schema, "");
	const { label, options } = question ?? expect.unreachable("no question");
	expect(label.match(/\[redacted\]/g)).toHaveLength(2);
	expect(JSON.stringify([label, options.map((option) => option.label)])).not.toContain("ghp_");
	expect(result).toEqual({ action: "accept", content: { size: leaking(1_000) } });
});

test("a choice with an empty title shows its value, and one without any text is declined", async () => {
	const { question, result } = await play({ type: "string", enum: ["s", "l"], enumNames: ["", " "] }, "l");
	expect(question?.options.map(({ label }) => label)).toEqual(["s", "l"]);
	expect(result).toEqual({ action: "accept", content: { size: "l" } });
	const none = await play({ type: "string", enum: ["", "l"], enumNames: ["None", ""] }, "");
	expect(none.question?.options.map(({ label }) => label)).toEqual(["None", "l"]);
	for (const schema of [{ enum: ["", "l"] }, { oneOf: [{ const: " ", title: "" }] }]) {
		const { question: shown, result: declined } = await play({ type: "string", ...schema }, "l");
		expect(shown).toBeUndefined();
		expect(declined).toEqual({ action: "decline" });
	}
});
