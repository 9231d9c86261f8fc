import { defined, ParleyError } from "@parley/base";
import type { Client, MethodInput } from "@parley/protocol";
import type { AddressFlags } from "../client/gateway-address.ts";
import { beginsId, requireLongId } from "../command-line/ids.ts";
import { visibleLine } from "../text/visible.ts";
import { taskTexts } from "../texts/tasks.ts";
import type { Task } from "../wordings/task.ts";

/** Format of a complete task id. Ids of other kinds never begin with `task_`. */
const completeId = /^task_[0-9a-z]{26}$/;

const pageLength = 200;

/** Maximum number of tasks in the error for an ambiguous id. */
const maxNamed = 5;

/**
 * Finds the task with this id. The id may be abbreviated as `beginsId` describes, as long as it is unique. Rejects if
 * no task or several tasks match.
 */
export async function findTask(client: Client, given: string): Promise<Task> {
	if (completeId.test(given)) return client.request("check_task", { task_id: given });
	const found: Task[] = [];
	for await (const task of allTasks(client)) {
		if (task.id === given) return task;
		if (beginsId(task.id, given)) found.push(task);
	}
	const [only, another] = found;
	if (another) throw ambiguous(given, found);
	if (only) return only;
	requireLongId(given);
	const shown = visibleLine(given.slice(0, 100));
	const message = taskTexts.noTask({ id: shown });
	throw new ParleyError(message, { code: "not_found" });
}

/**
 * Resolves with the workers of a task in order of creation, at most 200 of each task. Each worker is followed by
 * its own workers.
 */
export async function readWorkers(client: Client, id: string): Promise<Task[]> {
	const { tasks } = await client.request("query_tasks", { parent_id: id, limit: pageLength });
	const workers = tasks.toReversed();
	const below = await Promise.all(workers.map((worker) => readWorkers(client, worker.id)));
	return workers.flatMap((worker, index) => [worker, ...(below[index] ?? [])]);
}

async function* allTasks(client: Client): AsyncGenerator<Task, void> {
	let before: string | undefined;
	do {
		const page = defined({ limit: pageLength, before });
		const { tasks } = await client.request("query_tasks", page);
		yield* tasks;
		before = tasks.at(-1)?.id;
	} while (before !== undefined);
}

function ambiguous(given: string, found: readonly Task[]): ParleyError {
	const rows = found.slice(0, maxNamed).map(({ id, title }) => `  ${visibleLine(id)}  ${visibleLine(title)}`);
	const more = found.length > maxNamed ? ["  …"] : [];
	const message = [taskTexts.severalTasks({ id: visibleLine(given) }), ...rows, ...more];
	return new ParleyError(message.join("\n"), { code: "failed_precondition" });
}

export interface TaskFlags extends AddressFlags {
	readonly json?: boolean;
}

export interface ShowFlags extends TaskFlags {
	readonly log?: boolean;
}

export interface ReplyFlags extends TaskFlags {
	readonly approve?: boolean;
	readonly revise?: boolean;
}

export interface SubmitFlags extends TaskFlags {
	readonly session?: string;
	readonly tool?: readonly string[];
	readonly priority?: NonNullable<MethodInput<"submit_task">["priority"]>;
	readonly agent?: string;
	readonly model?: string;
	readonly after?: readonly string[];
	readonly autonomous?: boolean;
	readonly watch?: boolean;
}
