import { systemClock } from "@parley/base";
import type { Client, PromptRequestPayload } from "@parley/protocol";
import type { ShowFlags } from "../commands/task.ts";
import { findGateway } from "../gateway-address.ts";
import type { Io } from "../io.ts";
import { readAllEvents } from "../sessions/past-events.ts";
import { outputLook, printJson, printRows, withGateway } from "../with-gateway.ts";
import { findTask, readWorkers } from "./find-task.ts";
import { readOpenQuestions } from "./open-questions.ts";
import { hasEnded, type Task } from "./task.ts";
import { taskFactRows, type WholeTask } from "./task-fact-rows.ts";

/** Prints everything about a task. */
export async function showTask(id: string, flags: ShowFlags, io: Io): Promise<void> {
	const whole = await withGateway(flags, io, async (client): Promise<WholeTask> => {
		const { id: task_id } = await findTask(client, id);
		const task = await client.request("check_task", { task_id });
		const workers = await readWorkers(client, task_id);
		const questions = await readQuestions(client, [task, ...workers]);
		const log = flags.log ? await readAllEvents(await findGateway(flags, io), task.conversation) : [];
		return { task, workers, questions, log };
	});
	const { task, workers, questions, log } = whole;
	if (flags.json) printJson({ ...task, workers, questions, ...(flags.log && { log }) }, io);
	else printRows(taskFactRows(whole, systemClock.now(), outputLook(io)), io);
}

/** What these ask a person; nothing where all have ended. */
async function readQuestions(client: Client, tasks: readonly Task[]): Promise<PromptRequestPayload[]> {
	const open = tasks.find(({ status }) => !hasEnded(status));
	if (!open) return [];
	const ids = new Set<string | undefined>(tasks.map(({ id }) => id));
	const questions = await readOpenQuestions(client, open.session_id);
	return questions.filter(({ context }) => ids.has(context.task_id));
}
