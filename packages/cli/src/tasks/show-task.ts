import { setImmediate } from "node:timers/promises";
import { defined, formatUsd, systemClock } from "@parley/base";
import { type Client, isOzzieEvent, type OpenSession, type PromptRequestPayload } from "@parley/protocol";
import { findGateway } from "../client/gateway-address.ts";
import { readAllEvents, type ShownEvent } from "../client/past-events.ts";
import { withGateway } from "../client/with-gateway.ts";
import type { Io } from "../command-line/io.ts";
import { outputFormat, printJson, printRows } from "../command-line/output.ts";
import { questionRows } from "../questions/question-rows.ts";
import { formatCount, plural } from "../text/amounts.ts";
import { alignColumns } from "../text/columns.ts";
import { localTime } from "../text/local-time.ts";
import type { OutputFormat } from "../text/styles.ts";
import { duration } from "../text/time-ago.ts";
import { visibleLine, visibleText } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { taskTexts } from "../texts/tasks.ts";
import { hasEnded, type Task } from "../wordings/task.ts";
import { chatReplyWords, planRows } from "../wordings/task-words.ts";
import { sessionTranscript } from "../wordings/transcript.ts";
import { findTask, readWorkers, type ShowFlags } from "./find-task.ts";
import { nameTask, replyRows, suspensionRows, taskProgressWords } from "./task-board.ts";
import { taskTable } from "./task-table.ts";

export async function showTask(id: string, flags: ShowFlags, io: Io): Promise<void> {
	const details = await withGateway(flags, io, async (client): Promise<TaskDetails> => {
		const { id: task_id } = await findTask(client, id);
		const task = await client.request("check_task", { task_id });
		const workers = await readWorkers(client, task_id);
		const questions = await readQuestions(client, [task, ...workers]);
		const log = flags.log ? await readAllEvents(await findGateway(flags, io), task.conversation) : [];
		return { task, workers, questions, log };
	});
	const { task, workers, questions, log } = details;
	if (flags.json)
		printJson({ ...task, workers, questions, ...defined({ log: flags.log ? log : undefined }) }, io);
	else printRows(taskFactRows(details, systemClock.now(), outputFormat(io)), io);
}

/** Resolves with the open questions of these tasks, or with none if all tasks have ended. */
async function readQuestions(client: Client, tasks: readonly Task[]): Promise<PromptRequestPayload[]> {
	const open = tasks.find(({ status }) => !hasEnded(status));
	if (!open) return [];
	const ids = new Set<string | undefined>(tasks.map(({ id }) => id));
	const questions = await readOpenQuestions(client, open.session_id);
	return questions.filter(({ context }) => ids.has(context.task_id));
}

async function readOpenQuestions(client: Client, sessionId: string): Promise<PromptRequestPayload[]> {
	const session = await client.open({ session_id: sessionId });
	const questions = new Map<string, PromptRequestPayload>();
	const reading = gather(session, questions);
	try {
		// A client that joins receives the open questions before the response to a later request.
		await client.request("list_tasks", {}, { sessionId });
		await setImmediate();
	} finally {
		session.close();
		await reading;
	}
	return [...questions.values()].filter(({ context }) => context.task_id !== undefined);
}

async function gather(session: OpenSession, questions: Map<string, PromptRequestPayload>): Promise<void> {
	for await (const frame of session.events()) {
		if (!isOzzieEvent(frame)) continue;
		if (frame.event === "prompt.request") questions.set(frame.payload.token, frame.payload);
		if (frame.event === "prompt.response" || frame.event === "prompt.closed") {
			questions.delete(frame.payload.token);
		}
	}
}

export interface TaskDetails {
	readonly task: Task;
	/** Direct and indirect workers of the task. */
	readonly workers: readonly Task[];
	/** Open questions of the task and of its workers. */
	readonly questions: readonly PromptRequestPayload[];
	/** Events of the task's own session, if they are requested. */
	readonly log: readonly ShownEvent[];
}

export function taskFactRows(details: TaskDetails, now: number, format: OutputFormat): string[] {
	const { task, workers, log } = details;
	const { suspension } = task;
	const waits = suspension ? [...suspensionRows(suspension, format), ...replyRows(task.id, format)] : [];
	const sections = [
		...section(taskTexts.description, textRows(task.description, format), format),
		...section(taskTexts.plan, planRows(task.plan ?? [], format), format),
		...section(taskTexts.waits, waits, format),
		...section(taskTexts.openQuestions, openQuestionRows(details, format), format),
		...section(taskTexts.workers, workers.length === 0 ? [] : taskTable(workers, now, format), format),
		...section(taskTexts.log, sessionTranscript(log, format), format),
		...section(taskTexts.error, textRows(task.error, format).map(format.styles.red), format),
		...section(taskTexts.output, textRows(task.output, format), format),
	];
	return [...factRows(task, format), ...sections];
}

function factRows(task: Task, { styles }: OutputFormat): string[] {
	const { usage, suspend_count, retry_count } = task;
	const facts: [name: string, value: string | undefined][] = [
		["id", task.id],
		["status", `${task.status}  ${taskProgressWords(task.progress)}`],
		["session", task.session_id],
		[taskTexts.ownSession, task.conversation],
		[taskTexts.workerOf, task.parent_id || undefined],
		[taskTexts.retryOf, task.retry_of],
		["after", task.depends_on.join(", ") || undefined],
		[taskTexts.submittedBy, task.owner],
		["agent", task.agent],
		["model", task.model],
		["tools", task.tools.join(", ") || "none"],
		["priority", task.priority],
		["autonomy", task.autonomy],
		...timesOf(task),
		["suspended", suspend_count > 0 ? plural(suspend_count, "time") : undefined],
		["retried", retry_count > 0 ? plural(retry_count, "time") : undefined],
		[
			"usage",
			taskTexts.usage({
				input: formatCount(usage.tokens_input),
				output: formatCount(usage.tokens_output),
				cost: formatUsd(usage.cost_usd),
			}),
		],
	];
	const known = facts.flatMap(([name, value]) =>
		value === undefined ? [] : [[styles.dim(name), visibleLine(value)]],
	);
	return [styles.bold(visibleLine(task.title)), ...alignColumns(known)];
}

function timesOf({ status, created_at, started_at, completed_at }: Task): [string, string | undefined][] {
	const at = (time: string | undefined): string | undefined => time && localTime(new Date(time));
	const took =
		started_at !== undefined && completed_at !== undefined
			? `, after ${duration(Date.parse(completed_at) - Date.parse(started_at))}`
			: "";
	return [
		["submitted", at(created_at)],
		["started", at(started_at)],
		[hasEnded(status) ? status : "ended", completed_at && `${at(completed_at)}${took}`],
	];
}

function openQuestionRows({ task, workers, questions }: TaskDetails, format: OutputFormat): string[] {
	const rows = [task, ...workers].flatMap(({ id, title, parent_id }) =>
		questions
			.filter(({ context }) => context.task_id === id)
			.flatMap((question) => [
				...wrapText(nameTask(id, { title, parentId: parent_id }), format.columns),
				...questionRows(question, format),
			]),
	);
	if (rows.length === 0) return [];
	const hint = chatReplyWords(task.session_id);
	return [...rows, ...wrapText(hint, format.columns).map(format.styles.dim)];
}

function section(name: string, rows: readonly string[], { styles }: OutputFormat): string[] {
	return rows.length === 0 ? [] : ["", styles.bold(name), ...rows];
}

function textRows(text: string, { columns }: OutputFormat): string[] {
	const shown = visibleText(text).trimEnd();
	return shown === "" ? [] : wrapText(shown, columns);
}
