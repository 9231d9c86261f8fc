import { expect, test } from "vitest";
import { createToolContext, readyCall } from "../testing/tool-context.ts";
import type { PlanStep } from "../vocabulary/task.ts";
import { describeTools, normaliseCall } from "./calls/normalise-call.ts";
import { executeCall, prepareCall } from "./calls/tool-call.ts";
import { todo } from "./todo.ts";

const where = createToolContext("/");

test("the complete list is stored with the run, and the model gets the progress", async () => {
	const stored: PlanStep[][] = [];
	const context = createToolContext("/", {
		todo: async (steps) => {
			stored.push([...steps]);
			return where.todo(steps);
		},
	});
	const items = [{ text: "look", state: "done" }, { text: "change", state: "active" }, { text: "test" }];
	const result = await executeCall(await readyCall(todo, { items }, context), context);
	expect(result).toEqual({ text: "1 of 3 steps are done; current step: change", failed: false });
	expect(stored).toEqual([
		[
			{ title: "look", state: "completed" },
			{ title: "change", state: "in_progress" },
			{ title: "test", state: "pending" },
		],
	]);
});

test("the model can set three states", () => {
	const [described] = describeTools([todo]);
	expect(described?.parameters).toMatchObject({
		properties: {
			items: { items: { properties: { state: { enum: ["open", "active", "done"], default: "open" } } } },
		},
		required: ["items"],
	});
});

test.each<[string, object]>([
	["plan", { steps: [{ title: "look", state: "in_progress" }] }],
	["TodoWrite", { todos: [{ content: "look", status: "in_progress" }] }],
	["update_plan", { plan: [{ step: "look", status: "active" }] }],
])("%s with its own names is the same call", async (name, args) => {
	const called = normaliseCall([todo], { name, arguments: args });
	expect(called).toMatchObject({ name: "todo", arguments: { items: [{ text: "look" }] } });
	const prepared = await prepareCall([todo], called, where);
	expect(prepared).toMatchObject({ kind: "ready", plan: { label: "list 1 steps", classes: ["person"] } });
});

test.each<[string, unknown]>([
	["no items", []],
	["51 items", Array(51).fill({ text: "look" })],
	["an empty text", [{ text: "  " }]],
	["201 characters", [{ text: "x".repeat(201) }]],
	["an unknown state", [{ text: "look", state: "maybe" }]],
])("a list with %s is refused", async (_what, items) => {
	await expect(readyCall(todo, { items }, where)).rejects.toThrow("items");
});
