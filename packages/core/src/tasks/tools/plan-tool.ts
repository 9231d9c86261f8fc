import * as z from "zod";
import { defineTool } from "../../tool.ts";
import { deskOf, planOwn } from "./desk-of.ts";

const parameters = z.strictObject({
	steps: z
		.array(
			z.strictObject({
				title: z.string().trim().min(1).max(200).describe("What is done in this step, in a few words."),
				state: z
					.enum(["pending", "in_progress", "completed", "skipped"])
					.default("pending")
					.describe("in_progress: at work; skipped: turned out to be needless."),
			}),
		)
		.min(1)
		.max(50)
		.describe("All steps in their order, those that are done too: the list replaces the one before."),
});
type Arguments = z.infer<typeof parameters>;

/** Keeps the plan of a task, which people see as its progress. */
export const planTool = defineTool<Arguments>({
	name: "plan",
	description:
		"Writes down the steps of this task and how far each is: people see it as the progress of the task. Use it at the " +
		"start of work that has more than one step, and again whenever a step begins or ends. Not for work of one step.",
	parameters,
	effect: "idempotent",
	plan: async ({ steps }) => planOwn(`plan ${steps.length} steps`),
	async run({ steps }, _plan, context) {
		const { current, total, label } = await deskOf(context).plan(steps);
		return { text: `${current} of ${total} steps are completed; at: ${label}`, failed: false };
	},
});
