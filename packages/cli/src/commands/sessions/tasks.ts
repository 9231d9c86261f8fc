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
Workers stand below the task that they work for. What waits for you is told at
the end, with the command that answers it.

Examples:
  parley tasks
  parley tasks --session sess_4k2x --all
  parley tasks --status failed cancelled --json
`;

/** `parley tasks`: what goes on in the background. */
export function tasksCommand(io: Io): Command {
	const command = new Command("tasks")
		.description("list the tasks that have not ended, the newest first")
		.option("--session <id>", "of one conversation; the id may be abbreviated")
		.addOption(new Option("--status <status...>", "with one of these statuses").choices(taskStatuses))
		.option("--all", "those that have ended, too")
		.option("--limit <n>", "how many at most", readLimit, 50)
		.option("--json", "print JSON")
		.addHelpText("after", listNotes.trimEnd());
	return addAddressFlags(command).action(async (flags: TasksFlags) => {
		const { listTasks } = await import("../../tasks/list-tasks.ts");
		await listTasks(flags, io);
	});
}

const taskNotes = `
An ID may be abbreviated as long as one task alone begins so; \`parley tasks\`
lists them.

Examples:
  parley task submit "Tidy up" "Remove what nobody imports" --watch
  parley task submit Report - --session sess_4k2x --tool read_file < wishes.txt
  parley task reply 7fd --revise "keep the old names"
`;

/** `parley task`: one thing that goes on in the background. */
export function taskCommand(io: Io): Command {
	const command = new Command("task")
		.description("have something done in the background; show, watch, answer and cancel it")
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
The task works in a conversation of its own; what it asks, and what is told of
it, belongs to the one that it is submitted in: --session, else that of the first
--after, else a new one in this directory. It goes on when nobody is connected.
Without a description the title says it all; - reads it from stdin.
`;

function submitCommand(io: Io): Command {
	const command = new Command("submit")
		.description("have something done in the background")
		.argument("<title>", "what it is called")
		.argument("[description]", "what is to be done")
		.option("--session <id>", "in this conversation; the id may be abbreviated")
		.option("--tool <name>", "a tool that it may use; may be repeated", collect)
		.addOption(new Option("--priority <priority>", "normal unless told").choices(["low", "normal", "high"]))
		.option("--agent <name>", "who does it (parley agents lists them)")
		.option("--model <name>", "with which model (parley models lists them)")
		.option("--after <id>", "not before this task is completed; may be repeated", collect)
		.option("--autonomous", "without asking what you think of its plans; tools still ask")
		.option("--watch", "show what becomes of it")
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
	return taskOf("show", "print everything about a task")
		.option("--log", "also what was said and done in its own conversation")
		.action(async (id: string, flags: ShowFlags) => {
			const { showTask } = await import("../../tasks/show-task.ts");
			await showTask(id, flags, io);
		});
}

const watchNotes = `
--json prints the task as it is, then its events and those of its workers, and at
the end the task again, one a line.

Exit code: 0 when the task was completed, 1 when it failed, 3 when it was
cancelled; 130 after Ctrl-C, which leaves the task at work.
`;

function watchCommand(io: Io): Command {
	const command = taskOf("watch", "show what happens to a task until it ends, and then its output");
	return command.addHelpText("after", watchNotes.trimEnd()).action(async (id: string, flags: TaskFlags) => {
		const { watchTask } = await import("../../tasks/watch-task.ts");
		io.exitCode = await watchTask(id, flags, io);
	});
}

function replyCommand(io: Io): Command {
	return taskOf("reply", "say what you think of what a task asks; asks you unless told")
		.argument("[text...]", "words for the task; - reads them from stdin")
		.addOption(new Option("--approve", "it may go on").conflicts("revise"))
		.option("--revise", "it should think again; needs words")
		.action(async (id: string, words: string[], flags: ReplyFlags) => {
			const { replyTask } = await import("../../tasks/reply-task.ts");
			io.exitCode = await replyTask(id, words.join(" "), flags, io);
		});
}

function cancelCommand(io: Io): Command {
	return taskOf("cancel", "end a task with all its workers")
		.option("--reason <text>", "why: people of its conversation are told")
		.action(async (id: string, flags: TaskFlags & { readonly reason?: string }) => {
			const { findTask } = await import("../../tasks/find-task.ts");
			const { task, answer } = await withGateway(flags, io, async (client) => {
				const found = await findTask(client, id);
				const reason = flags.reason === undefined ? {} : { reason: flags.reason };
				const asked = client.request("cancel_task", { task_id: found.id, ...reason });
				return { task: found, answer: await asked };
			});
			if (flags.json) return printJson(answer, io);
			const before = answer.status === task.status ? " already" : "";
			printRows([`${visibleLine(task.title)} is ${answer.status}${before}`], io);
		});
}

function retryCommand(io: Io): Command {
	return taskOf("retry", "do a task that has ended once more, as another one").action(
		async (id: string, flags: TaskFlags) => {
			const [{ findTask }, { tellSubmitted }] = await Promise.all([
				import("../../tasks/find-task.ts"),
				import("../../tasks/submit-task.ts"),
			]);
			const submitted = await withGateway(flags, io, async (client) =>
				client.request("retry_task", { task_id: (await findTask(client, id)).id }),
			);
			tellSubmitted(submitted, flags, io);
		},
	);
}

function taskOf(name: string, description: string): Command {
	const command = new Command(name)
		.description(description)
		.argument("<id>", "which task; may be abbreviated")
		.option("--json", "print JSON");
	return addAddressFlags(command);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
	return [...before, value];
}
