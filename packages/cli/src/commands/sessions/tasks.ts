import { Command, Option } from "commander";
import { addAddressFlags } from "../../client/gateway-address.ts";
import { withGateway } from "../../client/with-gateway.ts";
import type { Io } from "../../command-line/io.ts";
import { printJson, printRows } from "../../command-line/output.ts";
import { readLimit } from "../../command-line/read-number.ts";
import type { ReplyFlags, ShowFlags, SubmitFlags, TaskFlags } from "../../tasks/find-task.ts";
import type { TasksFlags } from "../../tasks/list-tasks.ts";
import { visibleLine } from "../../text/visible.ts";
import { taskHelp, taskMessages, tasksHelp } from "../../texts/commands/sessions/tasks.ts";
import { sharedHelp } from "../../texts/commands/shared.ts";
import { taskStatuses } from "../../wordings/task.ts";

export function tasksCommand(io: Io): Command {
	const command = new Command("tasks")
		.description(tasksHelp.description)
		.option("--session <id>", sharedHelp.abbreviatedSession)
		.addOption(new Option("--status <status...>", tasksHelp.status).choices(taskStatuses))
		.option("--all", tasksHelp.all)
		.option("--limit <n>", sharedHelp.maxRows, readLimit, 50)
		.option("--json", sharedHelp.json)
		.addHelpText("after", tasksHelp.notes.trimEnd());
	return addAddressFlags(command).action(async (flags: TasksFlags) => {
		const { listTasks } = await import("../../tasks/list-tasks.ts");
		await listTasks(flags, io);
	});
}

export function taskCommand(io: Io): Command {
	const command = new Command("task")
		.description(taskHelp.description)
		.helpCommand(false)
		.addHelpText("after", taskHelp.notes.trimEnd());
	return command
		.addCommand(submitCommand(io))
		.addCommand(showCommand(io))
		.addCommand(watchCommand(io))
		.addCommand(replyCommand(io))
		.addCommand(cancelCommand(io))
		.addCommand(retryCommand(io));
}

function submitCommand(io: Io): Command {
	const command = new Command("submit")
		.description(taskHelp.submit)
		.argument("<title>", taskHelp.title)
		.argument("[description]", taskHelp.work)
		.option("--session <id>", taskHelp.session)
		.option("--tool <name>", taskHelp.tool, collect)
		.addOption(new Option("--priority <priority>", taskHelp.priority).choices(["low", "normal", "high"]))
		.option("--agent <name>", taskHelp.agent)
		.option("--model <name>", taskHelp.model)
		.option("--after <id>", taskHelp.after, collect)
		.option("--autonomous", taskHelp.autonomous)
		.option("--watch", taskHelp.watchAfterSubmit)
		.option("--json", sharedHelp.json)
		.addHelpText("after", taskHelp.submitNotes.trimEnd());
	return addAddressFlags(command).action(
		async (title: string, description: string | undefined, flags: SubmitFlags) => {
			const { submitTask } = await import("../../tasks/submit-task.ts");
			io.exitCode = await submitTask({ title, description }, flags, io);
		},
	);
}

function showCommand(io: Io): Command {
	return taskOf("show", taskHelp.show)
		.option("--log", taskHelp.log)
		.action(async (id: string, flags: ShowFlags) => {
			const { showTask } = await import("../../tasks/show-task.ts");
			await showTask(id, flags, io);
		});
}

function watchCommand(io: Io): Command {
	const command = taskOf("watch", taskHelp.watch);
	return command
		.addHelpText("after", taskHelp.watchNotes.trimEnd())
		.action(async (id: string, flags: TaskFlags) => {
			const { watchTask } = await import("../../tasks/watch-task.ts");
			io.exitCode = await watchTask(id, flags, io);
		});
}

function replyCommand(io: Io): Command {
	return taskOf("reply", taskHelp.reply)
		.argument("[text...]", taskHelp.feedback)
		.addOption(new Option("--approve", taskHelp.approve).conflicts("revise"))
		.option("--revise", taskHelp.revise)
		.action(async (id: string, words: string[], flags: ReplyFlags) => {
			const { replyTask } = await import("../../tasks/reply-task.ts");
			io.exitCode = await replyTask(id, words.join(" "), flags, io);
		});
}

function cancelCommand(io: Io): Command {
	return taskOf("cancel", taskHelp.cancel)
		.option("--reason <text>", taskHelp.reason)
		.action(async (id: string, flags: TaskFlags & { readonly reason?: string }) => {
			const { findTask } = await import("../../tasks/find-task.ts");
			const { task, answer } = await withGateway(flags, io, async (client) => {
				const found = await findTask(client, id);
				const reason = flags.reason === undefined ? {} : { reason: flags.reason };
				const cancelled = client.request("cancel_task", { task_id: found.id, ...reason });
				return { task: found, answer: await cancelled };
			});
			if (flags.json) return printJson(answer, io);
			printRows(
				[
					taskMessages.cancelled({
						title: visibleLine(task.title),
						status: answer.status,
						wasEnded: answer.status === task.status,
					}),
				],
				io,
			);
		});
}

function retryCommand(io: Io): Command {
	return taskOf("retry", taskHelp.retry).action(async (id: string, flags: TaskFlags) => {
		const [{ findTask }, { printSubmitted }] = await Promise.all([
			import("../../tasks/find-task.ts"),
			import("../../tasks/submit-task.ts"),
		]);
		const submitted = await withGateway(flags, io, async (client) =>
			client.request("retry_task", { task_id: (await findTask(client, id)).id }),
		);
		printSubmitted(submitted, flags, io);
	});
}

function taskOf(name: string, description: string): Command {
	const command = new Command(name)
		.description(description)
		.argument("<id>", taskHelp.id)
		.option("--json", sharedHelp.json);
	return addAddressFlags(command);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
	return [...before, value];
}
