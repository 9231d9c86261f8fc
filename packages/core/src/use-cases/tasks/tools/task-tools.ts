import { defined, ParleyError } from "@parley/base";
import * as z from "zod";
import { shorten, visible } from "../../../text/visible.ts";
import { todo } from "../../../tools/todo.ts";
import type { TaskAccess, WorkerResult } from "../../../vocabulary/task.ts";
import { defineTool, type Tool, type ToolContext, type ToolPlan } from "../../../vocabulary/tool.ts";
import { attributed } from "../../../vocabulary/transcript.ts";
import { taskToolTexts } from "./texts.ts";

/** Returns the tools that a task has in addition to the tools that were chosen for the task. */
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

/** Returns the operations for the task that makes the tool call. Throws if no task makes the call. */
function accessOf({ task }: ToolContext): TaskAccess {
	if (task) return task;
	throw new ParleyError(taskToolTexts.onlyInTask, { code: "failed_precondition" });
}

/** Returns a plan for a call that affects only the task itself. */
function planOwn(label: string): ToolPlan {
	return { label: visible(label), classes: ["person"], preview: "", binding: {}, notes: [] };
}

const reviewParameters = () =>
	z.strictObject({
		reason: z.string().trim().min(1).max(500).describe(taskToolTexts.reason),
		content: z.string().trim().min(1).max(32_000).describe(taskToolTexts.plan),
	});
type ReviewArguments = z.infer<ReturnType<typeof reviewParameters>>;

/** Suspends a task until a person has reviewed its plan or answered its question. */
const requestReview = defineTool<ReviewArguments>({
	name: "request_review",
	description: taskToolTexts.requestReview,
	parameters: reviewParameters,
	effect: "idempotent",
	usual: ["person"],
	plan: async ({ reason }) => planOwn(taskToolTexts.reviewLabel(reason)),
	async run(request, _plan, context) {
		const { approved, feedback, person } = await accessOf(context).review(request);
		const comment = feedback === "" ? "" : `\nComment:\n${attributed(feedback, person)}`;
		return approved
			? { text: `approved: continue${comment}`, failed: false }
			: {
					text: taskToolTexts.changesRequested(comment),
					failed: false,
				};
	},
});

const name = () => z.string().trim().min(1).max(200);

const spawnParameters = () =>
	z.strictObject({
		title: z.string().trim().min(1).max(200).describe(taskToolTexts.title),
		description: z.string().trim().min(1).max(32_000).describe(taskToolTexts.work),
		tools: z.array(name()).max(50).optional().describe(taskToolTexts.tools),
		model: name().optional().describe(taskToolTexts.model),
		depends_on: z.array(name()).max(8).optional().describe(taskToolTexts.dependsOn),
	});
type SpawnArguments = z.infer<ReturnType<typeof spawnParameters>>;

const spawnWorker = defineTool<SpawnArguments>({
	name: "spawn_worker",
	description: taskToolTexts.spawnWorker,
	parameters: spawnParameters,
	effect: "idempotent",
	usual: ["person"],
	plan: async ({ title }) => planOwn(taskToolTexts.workerLabel(title)),
	async run({ depends_on, tools, model, ...worker }, _plan, context) {
		const id = await accessOf(context).spawn({
			...worker,
			...defined({ tools, model, dependsOn: depends_on }),
		});
		return { text: `worker ${id}`, failed: false };
	},
});

/** Maximum characters that a task receives of a worker's result. */
const maxOutput = 16_000;

const waitParameters = () =>
	z.strictObject({
		workers: z.array(z.string().trim().min(1).max(200)).min(1).max(8).optional().describe(taskToolTexts.ids),
	});
type WaitArguments = z.infer<ReturnType<typeof waitParameters>>;

const waitForWorkers = defineTool<WaitArguments>({
	name: "wait_for_workers",
	description: taskToolTexts.waitForWorkers,
	parameters: waitParameters,
	effect: "idempotent",
	usual: ["person"],
	plan: async ({ workers }) =>
		planOwn(workers ? taskToolTexts.waitLabel(workers) : taskToolTexts.waitAllLabel),
	async run({ workers }, _plan, context) {
		const results = await accessOf(context).workers(workers);
		if (results.length === 0) return { text: taskToolTexts.none, failed: false };
		return { text: results.map(describe).join("\n\n"), failed: false };
	},
});

function describe({ id, title, state, output, error }: WorkerResult): string {
	const result = output.length > maxOutput ? taskToolTexts.cut(shorten(output, maxOutput)) : output;
	const parts = [result, error === "" ? "" : `error: ${error}`].filter((part) => part !== "").join("\n");
	return `worker ${id} (${title}) ${state}${parts === "" ? "" : `:\n${parts}`}`;
}
