import * as z from "zod";
import type { PlanStep } from "../vocabulary/task.ts";
import { defineTool } from "../vocabulary/tool.ts";
import { todoTexts } from "./texts.ts";

const maxItems = 50;
const maxText = 200;

/** State of a step for each accepted word. The tool description names only the first three. */
const stepStates = {
	open: "pending",
	active: "in_progress",
	done: "completed",
	pending: "pending",
	in_progress: "in_progress",
	completed: "completed",
	skipped: "skipped",
	cancelled: "skipped",
} as const satisfies Readonly<Record<string, PlanStep["state"]>>;

type Written = keyof typeof stepStates;

function listOf<State extends Written>(states: readonly State[], otherwise: NoInfer<State>) {
	return z.strictObject({
		items: z
			.array(
				z.strictObject({
					text: z.string().trim().min(1).max(maxText).describe(todoTexts.step),
					state: z
						.enum(states)
						.default(() => otherwise)
						.describe(todoTexts.status),
				}),
			)
			.min(1)
			.max(maxItems)
			.describe(todoTexts.steps),
	});
}

const parameters = () => listOf(Object.keys(stepStates) as Written[], "open");
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Stores the list of steps of a run or a task. Clients show the list as progress. */
export const todo = defineTool<Arguments>({
	name: "todo",
	description: todoTexts.description,
	parameters,
	schema: () => z.toJSONSchema(listOf(["open", "active", "done"], "open"), { io: "input" }),
	accepts: {
		names: ["plan", "todo_write", "update_plan", "write_todos"],
		parameters: {
			items: { names: ["todos", "steps", "plan", "list"] },
			text: { names: ["title", "content", "step", "task"] },
			state: { names: ["status"] },
		},
	},
	// A repeated call after a crash writes the same list. Calls of one reply run in order, so the last list remains
	// stored.
	effect: "idempotent",
	usual: ["person"],
	plan: async ({ items }) => ({
		label: `list ${items.length} steps`,
		classes: ["person"],
		preview: "",
		binding: {},
		notes: [],
	}),
	async run({ items }, _plan, context) {
		const steps = items.map(({ text, state }) => ({ title: text, state: stepStates[state] }));
		const { current, total, label } = await context.todo(steps);
		return { text: todoTexts.result(current, total, label), failed: false };
	},
});
