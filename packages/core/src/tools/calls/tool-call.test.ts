import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import * as z from "zod";
import { createToolContext } from "../../testing/tool-context.ts";
import { defineTool, type ToolPlan } from "../../vocabulary/tool.ts";
import { bindingText, changedSince, executeCall, prepareCall } from "./tool-call.ts";

const plan: ToolPlan = { label: "add", classes: ["read"], preview: "", binding: { a: "1" }, notes: [] };
const add = defineTool({
	name: "add",
	description: "Adds.",
	parameters: () =>
		z.strictObject({
			a: z.number(),
			b: z.number().default(1),
			list: z.array(z.string()).optional(),
		}),
	effect: "none",
	plan: async ({ a }) => {
		if (a < 0) throw new ParleyError("a is negative", { code: "invalid_argument" });
		if (a === 0) throw new Error("/secret/path in a bug");
		return plan;
	},
	run: async ({ a, b }) => {
		if (a > 100) throw new ParleyError("too large", { code: "invalid_argument" });
		if (a > 10) throw new Error("/secret/path in a bug");
		return { text: String(a + b), failed: false };
	},
});
const context = createToolContext("/");

function prepare(args: unknown, name = "add") {
	return prepareCall([add], { name, arguments: args }, context);
}

test("a valid call is ready with its plan and its defaults", async () => {
	const ready = { kind: "ready", tool: add, arguments: { a: 1 }, args: { a: 1, b: 1 }, plan };
	expect(await prepare({ a: 1 })).toEqual(ready);
	expect(await prepare({ a: "1", b: null })).toEqual(ready);
});

test.each([
	[{}, "invalid arguments of add: a: expected number, received undefined"],
	[{ a: "one" }, "invalid arguments of add: a: expected number, received string"],
	[{ a: 1, c: 2, d: 3 }, 'invalid arguments of add: unknown arguments "c", "d"; allowed: a, b, list'],
	[{ a: 1, list: ["x", 2] }, "invalid arguments of add: list.1: expected string, received number"],
	[{ a: 1, "\u{202e}": 1 }, 'invalid arguments of add: unknown argument "\\u{202e}"; allowed: a, b, list'],
	[undefined, "invalid arguments of add: expected object, received undefined"],
	[null, "invalid arguments of add: expected object, received null"],
	[[1], "invalid arguments of add: expected object, received array"],
	["a", "invalid arguments of add: expected object, received string"],
])("%j is refused with an explanation", async (args, text) => {
	expect(await prepare(args)).toEqual({ kind: "refused", text });
});

test.each([
	[{ a: -1 }, "a is negative"],
	[{ a: 0 }, "internal error"],
])("%j is refused with the reason", async (args, text) => {
	expect(await prepare(args)).toEqual({ kind: "refused", text, found: true });
});

test("an unknown tool is refused with the existing ones", async () => {
	expect(await prepare({}, "sub")).toEqual({
		kind: "refused",
		text: 'the tool "sub" does not exist or is not allowed here; available: add',
	});
	expect(await prepare({}, "toString")).toMatchObject({ kind: "refused" });
	const { text } = (await prepare({}, "x\n".repeat(1000))) as { text: string };
	expect(text.length).toBeLessThan(300);
});

test("a ready call runs, and its exception becomes a failed result", async () => {
	const run = async (a: number) => {
		const ready = await prepare({ a });
		if (ready.kind !== "ready") throw new Error(ready.text);
		return executeCall(ready, context);
	};
	expect(await run(2)).toEqual({ text: "3", failed: false });
	expect(await run(101)).toEqual({ text: "add failed: too large", failed: true });
	expect(await run(11)).toEqual({ text: "add failed: internal error", failed: true });
});

test("the hash of a call depends on all approved facts, but not on the order of its keys", () => {
	const call = { name: "add", arguments: { a: 1, b: { c: [1, 2], d: null } } };
	const bound = bindingText(call, plan, "1");
	expect(bound).toMatch(/^a=[0-9a-f]{64} arguments=[0-9a-f]{64} policy=[0-9a-f]{64}$/);
	expect(bindingText({ arguments: { b: { d: null, c: [1, 2] }, a: 1 }, name: "add" }, plan, "1")).toBe(bound);
	expect(changedSince(bound, bound)).toEqual([]);
	for (const [other, changed] of [
		[bindingText({ ...call, name: "sub" }, plan, "1"), ["arguments"]],
		[bindingText({ ...call, arguments: { a: 1, b: { c: [2, 1], d: null } } }, plan, "1"), ["arguments"]],
		[bindingText(call, { binding: { a: "2" } }, "1"), ["a"]],
		[bindingText(call, { binding: { ...plan.binding, b: "1" } }, "2"), ["policy", "b"]],
	] as const) {
		expect(changedSince(bound, other)).toEqual(changed);
	}
});
