import * as z from "zod";
import { shorten } from "../../../text/shorten.ts";
import type { WorkerResult } from "../../../vocabulary/task.ts";
import { defineTool } from "../../../vocabulary/tool.ts";
import { deskOf, planOwn } from "./desk-of.ts";

/** Characters of one worker's result that its task is told. */
const mostTold = 16_000;

const parameters = () =>
	z.strictObject({
		workers: z
			.array(z.string().trim().min(1).max(200))
			.min(1)
			.max(8)
			.optional()
			.describe("Ids that spawn_worker returned; all workers of this task by default."),
	});
type Arguments = z.infer<ReturnType<typeof parameters>>;

/** Waits for workers and returns what they have to say. */
export const waitForWorkers = defineTool<Arguments>({
	name: "wait_for_workers",
	description:
		"Waits until workers of this task have ended and returns their results. Use it when you need them to go on, and " +
		"before you end: workers that are still at work then are cancelled.",
	parameters,
	effect: "idempotent",
	usual: ["person"],
	plan: async ({ workers }) => planOwn(workers ? `wait for ${workers.join(", ")}` : "wait for all workers"),
	async run({ workers }, _plan, context) {
		const results = await deskOf(context).workers(workers);
		if (results.length === 0) return { text: "this task has no workers", failed: false };
		return { text: results.map(describe).join("\n\n"), failed: false };
	},
});

function describe({ id, title, state, output, error }: WorkerResult): string {
	const told =
		output.length > mostTold
			? `${shorten(output, mostTold)}\n[cut: ask for less, or have it written to a file]`
			: output;
	const said = [told, error === "" ? "" : `error: ${error}`].filter((part) => part !== "").join("\n");
	return `worker ${id} (${title}) ${state}${said === "" ? "" : `:\n${said}`}`;
}
