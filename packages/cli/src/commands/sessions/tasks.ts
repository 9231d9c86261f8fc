import { Command, Option } from "commander";
import { addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { printJson, printRows } from "../../command-line/output.ts";
import { readLimit } from "../../command-line/read-number.ts";
import type { ReplyFlags, ShowFlags, SubmitFlags, TaskFlags } from "../../tasks/find-task.ts";
import type { TasksFlags } from "../../tasks/list-tasks.ts";
import { visibleLine } from "../../text/visible.ts";
import { taskStatuses } from "../../wordings/task.ts";

const listNotes = `
Workers are listed below their task. Questions that wait for you are listed at
the end, with the command that answers them.

Examples:
  parley tasks
  parley tasks --session sess_4k2x --all
  parley tasks --status failed cancelled --json
`;

export function tasksCommand(io: Io): Command {
	const command = new Command("tasks")
		.description("list unfinished tasks, newest first")
		.option("--session <id>", "only this session; the id may be abbreviated")
		.addOption(new Option("--status <status...>", "only these statuses").choices(taskStatuses))
		.option("--all", "include ended tasks")
		.option("--limit <n>", "maximum number of rows", readLimit, 50)
		.option("--json", "print JSON")
		.addHelpText("after", listNotes.trimEnd());
	return addAddressFlags(command).action(async (flags: TasksFlags) => {
		const { listTasks } = await import("../../tasks/list-tasks.ts");
		await listTasks(flags, io);
	});
}

const taskNotes = `
You can abbreviate an ID if only one task begins with it; \`parley tasks\` lists
the tasks.

Examples:
  parley task submit "Tidy up" "Remove unused exports" --watch
  parley task submit Report - --session sess_4k2x --tool read_file < report.txt
  parley task reply 7fd --revise "keep the old names"
`;

/** `parley task`: submits and controls a task in the background. */
export function taskCommand(io: Io): Command {
	const command = new Command("task")
		.description("submit a task in the background; show, watch, answer and cancel tasks")
		.helpCommand(false)
		.addHelpText("after", taskNotes.trimEnd());
	return command
		.addCommand(submitCommand(io))
		.addCommand(showCommand(io))
		.addCommand(watchCommand(io))
		.addCommand(replyCommand(io))
		.addCommand(cancelCommand(io))
		.addCommand(retryCommand(io));
}

const submitNotes = `
The task has its own session. Its questions and reports go to the session that
--session names, else to the session of the first --after task, else to a new
session in this directory. It also runs while no client is connected.

Without a description, the title is the description; - reads it from stdin.
`;

function submitCommand(io: Io): Command {
	const command = new Command("submit")
		.description("submit a task that runs in the background")
		.argument("<title>", "title of the task")
		.argument("[description]", "description of the work")
		.option("--session <id>", "session for questions and reports; the id may be abbreviated")
		.option("--tool <name>", "tool that the task may use; may be repeated", collect)
		.addOption(
			new Option("--priority <priority>", "priority (default: normal)").choices(["low", "normal", "high"]),
		)
		.option("--agent <name>", "agent profile (see parley agents)")
		.option("--model <name>", "model (see parley models)")
		.option("--after <id>", "task that must complete first; may be repeated", collect)
		.option("--autonomous", "do not ask for a review of plans; tool calls still require approval")
		.option("--watch", "watch the task until it ends")
		.option("--json", "print JSON")
		.addHelpText("after", submitNotes.trimEnd());
	return addAddressFlags(command).action(
		async (title: string, description: string | undefined, flags: SubmitFlags) => {
			const { submitTask } = await import("../../tasks/submit-task.ts");
			io.exitCode = await submitTask({ title, description }, flags, io);
		},
	);
}

function showCommand(io: Io): Command {
	return taskOf("show", "print the details of a task")
		.option("--log", "include the transcript of its session")
		.action(async (id: string, flags: ShowFlags) => {
			const { showTask } = await import("../../tasks/show-task.ts");
			await showTask(id, flags, io);
		});
}

const watchNotes = `
--json prints the task, then its events and those of its workers, and at the end
the task again, one per line.

Exit code: 0 if the task completed, 1 if it failed, 3 if it was cancelled; 130
after Ctrl-C, which does not stop the task.
`;

function watchCommand(io: Io): Command {
	const command = taskOf("watch", "show the events of a task until it ends, then its output");
	return command.addHelpText("after", watchNotes.trimEnd()).action(async (id: string, flags: TaskFlags) => {
		const { watchTask } = await import("../../tasks/watch-task.ts");
		io.exitCode = await watchTask(id, flags, io);
	});
}

function replyCommand(io: Io): Command {
	return taskOf("reply", "answer the question of a task; prompts you if no answer is given")
		.argument("[text...]", "feedback for the task; - reads it from stdin")
		.addOption(new Option("--approve", "approve the plan").conflicts("revise"))
		.option("--revise", "request another plan; requires feedback")
		.action(async (id: string, words: string[], flags: ReplyFlags) => {
			const { replyTask } = await import("../../tasks/reply-task.ts");
			io.exitCode = await replyTask(id, words.join(" "), flags, io);
		});
}

function cancelCommand(io: Io): Command {
	return taskOf("cancel", "cancel a task with all its workers")
		.option("--reason <text>", "reason, which is shown in its session")
		.action(async (id: string, flags: TaskFlags & { readonly reason?: string }) => {
			const { findTask } = await import("../../tasks/find-task.ts");
			const { task, answer } = await withGateway(flags, io, async (client) => {
				const found = await findTask(client, id);
				const reason = flags.reason === undefined ? {} : { reason: flags.reason };
				const cancelled = client.request("cancel_task", { task_id: found.id, ...reason });
				return { task: found, answer: await cancelled };
			});
			if (flags.json) return printJson(answer, io);
			const before = answer.status === task.status ? " already" : "";
			printRows([`${visibleLine(task.title)} is ${answer.status}${before}`], io);
		});
}

function retryCommand(io: Io): Command {
	return taskOf("retry", "run an ended task again as a new task").action(
		async (id: string, flags: TaskFlags) => {
			const [{ findTask }, { printSubmitted }] = await Promise.all([
				import("../../tasks/find-task.ts"),
				import("../../tasks/submit-task.ts"),
			]);
			const submitted = await withGateway(flags, io, async (client) =>
				client.request("retry_task", { task_id: (await findTask(client, id)).id }),
			);
			printSubmitted(submitted, flags, io);
		},
	);
}

function taskOf(name: string, description: string): Command {
	const command = new Command(name)
		.description(description)
		.argument("<id>", "id of the task; may be abbreviated")
		.option("--json", "print JSON");
	return addAddressFlags(command);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
	return [...before, value];
}
