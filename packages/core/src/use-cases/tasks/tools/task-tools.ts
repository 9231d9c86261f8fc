import { defined, ParleyError } from "@parley/base";
import * as z from "zod";
import { shorten, visible } from "../../../text/visible.ts";
import { todo } from "../../../tools/todo.ts";
import type { TaskAccess, WorkerResult } from "../../../vocabulary/task.ts";
import { defineTool, type Tool, type ToolContext, type ToolPlan } from "../../../vocabulary/tool.ts";
import { attributed } from "../../../vocabulary/transcript.ts";

/** Tools that each task has in addition to those of its submitter. */
export function taskTools({
	supervised,
	spawns,
}: {
	readonly supervised: boolean;
	readonly spawns: boolean;
}): readonly Tool[] {
	const own = supervised ? [todo, requestReview] : [todo];
	return spawns ? [...own, spawnWorker, waitForWorkers] : own;
}

/** Operations of the task that makes the call. Throws outside of tasks. */
function accessOf({ task }: ToolContext): TaskAccess {
	if (task) return task;
	throw new ParleyError("this tool works only in a task", { code: "failed_precondition" });
}

/** Plan of a call that affects only the task itself. */
function planOwn(label: string): ToolPlan {
	return { label: visible(label), classes: ["person"], preview: "", binding: {}, notes: [] };
}

const reviewParameters = () =>
	z.strictObject({
		reason: z.string().trim().min(1).max(500).describe("Reason for the review, in one sentence."),
		content: z
			.string()
			.trim()
			.min(1)
			.max(32_000)
			.describe("The complete plan or question in Markdown. People see only this text."),
	});
type ReviewArguments = z.infer<ReturnType<typeof reviewParameters>>;

/** Suspends a task until a person has looked at its plan or answered its question. */
const requestReview = defineTool<ReviewArguments>({
	name: "request_review",
	description:
		"Shows people a plan or a question, and waits until a person approves it or requests changes. This can take days. " +
		"Use it before work that is hard to undo, or if the request has several possible meanings. Not for permission to use a " +
		"tool: Parley requests approvals itself.",
	parameters: reviewParameters,
	effect: "idempotent",
	usual: ["person"],
	plan: async ({ reason }) => planOwn(`request a review: ${reason}`),
	async run(request, _plan, context) {
		const { approved, feedback, person } = await accessOf(context).review(request);
		const comment = feedback === "" ? "" : `\nComment:\n${attributed(feedback, person)}`;
		return approved
			? { text: `approved: continue${comment}`, failed: false }
			: {
					text: `changes requested: revise it, and request another review if it matters${comment}`,
					failed: false,
				};
	},
});

const name = () => z.string().trim().min(1).max(200);

const spawnParameters = () =>
	z.strictObject({
		title: z.string().trim().min(1).max(200).describe("Work of the worker, in a few words."),
		description: z
			.string()
			.trim()
			.min(1)
			.max(32_000)
			.describe("All information that the worker needs: it does not see this conversation."),
		tools: z
			.array(name())
			.max(50)
			.optional()
			.describe("Names of the tools of this task that it may use. Default: all of them."),
		model: name().optional().describe("Another model: a name or a tier."),
		depends_on: z
			.array(name())
			.max(8)
			.optional()
			.describe("Ids of workers of this task that must complete first."),
	});
type SpawnArguments = z.infer<ReturnType<typeof spawnParameters>>;

/** Assigns a part of a task to another agent. */
const spawnWorker = defineTool<SpawnArguments>({
	name: "spawn_worker",
	description:
		"Assigns a part of this task to another agent, which works on it at the same time. Returns its id at once. Use it for " +
		"parts that do not depend on each other. wait_for_workers returns their results. Not for work of one or two calls.",
	parameters: spawnParameters,
	effect: "idempotent",
	usual: ["person"],
	plan: async ({ title }) => planOwn(`spawn a worker: ${title}`),
	async run({ depends_on, tools, model, ...worker }, _plan, context) {
		const id = await accessOf(context).spawn({
			...worker,
			...defined({ tools, model, dependsOn: depends_on }),
		});
		return { text: `worker ${id}`, failed: false };
	},
});

/** Maximum characters of one worker's result for its task. */
const maxOutput = 16_000;

const waitParameters = () =>
	z.strictObject({
		workers: z
			.array(z.string().trim().min(1).max(200))
			.min(1)
			.max(8)
			.optional()
			.describe("Ids that spawn_worker returned. Default: all workers of this task."),
	});
type WaitArguments = z.infer<ReturnType<typeof waitParameters>>;

/** Waits for workers and returns their results. */
const waitForWorkers = defineTool<WaitArguments>({
	name: "wait_for_workers",
	description:
		"Waits until workers of this task have ended and returns their results. Use it when you need the results to continue, and " +
		"before you end: workers that are still active at your end are cancelled.",
	parameters: waitParameters,
	effect: "idempotent",
	usual: ["person"],
	plan: async ({ workers }) => planOwn(workers ? `wait for ${workers.join(", ")}` : "wait for all workers"),
	async run({ workers }, _plan, context) {
		const results = await accessOf(context).workers(workers);
		if (results.length === 0) return { text: "this task has no workers", failed: false };
		return { text: results.map(describe).join("\n\n"), failed: false };
	},
});

function describe({ id, title, state, output, error }: WorkerResult): string {
	const result =
		output.length > maxOutput
			? `${shorten(output, maxOutput)}\n[cut: request less, or let the worker write it to a file]`
			: output;
	const parts = [result, error === "" ? "" : `error: ${error}`].filter((part) => part !== "").join("\n");
	return `worker ${id} (${title}) ${state}${parts === "" ? "" : `:\n${parts}`}`;
}
