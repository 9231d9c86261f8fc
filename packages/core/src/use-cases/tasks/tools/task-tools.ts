import { todo } from "../../../tools/todo.ts";
import type { Tool } from "../../../vocabulary/tool.ts";
import { requestReview } from "./request-review.ts";
import { spawnWorker } from "./spawn-worker.ts";
import { waitForWorkers } from "./wait-for-workers.ts";

/** The tools that a task has beside those that its submitter gave it. */
export function taskTools({
	supervised,
	spawns,
}: {
	readonly supervised: boolean;
	readonly spawns: boolean;
}): readonly Tool[] {
	return [todo, ...(supervised ? [requestReview] : []), ...(spawns ? [spawnWorker, waitForWorkers] : [])];
}
