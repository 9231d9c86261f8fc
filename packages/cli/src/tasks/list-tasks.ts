import { defined, systemClock } from "@parley/base";
import type { Client, MethodInput } from "@parley/protocol";
import { findSession } from "../client/find-session.ts";
import { type AddressFlags, findGateway } from "../client/gateway-address.ts";
import { withGateway } from "../client/with-gateway.ts";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../command-line/output.ts";
import { wrapText } from "../text/wrap.ts";
import { taskTexts } from "../texts/tasks.ts";
import { openStatuses, type Task, type TaskStatus } from "../wordings/task.ts";
import { chatReplyWords } from "../wordings/task-words.ts";
import { taskTable } from "./task-table.ts";

/**
 * Prints the tasks that match the flags. Without `--json`, also prints how to answer open questions in the
 * sessions of running tasks.
 */
export async function listTasks(flags: TasksFlags, io: Io): Promise<void> {
	const query = await queryOf(flags, io);
	const { tasks, asking } = await withGateway(flags, io, async (client) => {
		const found = (await client.request("query_tasks", query)).tasks;
		return { tasks: found, asking: flags.json ? [] : await sessionsThatAsk(client, found) };
	});
	if (flags.json) return printJson(tasks, io);
	if (tasks.length === 0) return printRows([noneWords(flags)], io);
	const format = outputFormat(io);
	printRows(taskTable(tasks, systemClock.now(), format), io);
	const hints = asking.flatMap((id) =>
		wrapText(taskTexts.questionOpen({ reply: chatReplyWords(id) }), format.columns),
	);
	printRows(hints.map(format.styles.yellow), io);
	if (tasks.length === flags.limit && flags.limit < 1000) {
		io.stderr.write(`${taskTexts.moreTasks({ limit: flags.limit })}\n`);
	}
}

async function queryOf(flags: TasksFlags, io: Io): Promise<MethodInput<"query_tasks">> {
	const { session, status, all, limit } = flags;
	const requested = status ?? (all ? undefined : openStatuses);
	return defined({
		limit,
		status: requested && [...requested],
		session_id:
			session === undefined ? undefined : (await findSession(await findGateway(flags, io), session)).id,
	});
}

/**
 * Resolves with the ids of sessions that have an open question, and in which at least one of `tasks` has the status
 * `running`.
 */
async function sessionsThatAsk(client: Client, tasks: readonly Task[]): Promise<string[]> {
	const busy = new Set(tasks.flatMap(({ status, session_id }) => (status === "running" ? [session_id] : [])));
	if (busy.size === 0) return [];
	const { sessions } = await client.request("list_sessions", { limit: 1000 });
	return sessions.flatMap(({ session_id, state }) =>
		state === "waiting" && busy.has(session_id) ? [session_id] : [],
	);
}

function noneWords({ status, all }: TasksFlags): string {
	if (all || status) return taskTexts.noMatches;
	return taskTexts.noTasks;
}

export interface TasksFlags extends AddressFlags {
	readonly session?: string;
	readonly status?: readonly TaskStatus[];
	readonly all?: boolean;
	readonly limit: number;
	readonly json?: boolean;
}
