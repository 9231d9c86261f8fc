import { Command, Option } from "commander";
import type { AddressFlags } from "../gateway-address.ts";
import type { Io } from "../io.ts";
import { type TaskStatus, taskStatuses } from "../tasks/task.ts";
import { addAddressFlags } from "./address-flags.ts";
import { readLimit } from "./read-limit.ts";

export interface TasksFlags extends AddressFlags {
	readonly session?: string;
	readonly status?: readonly TaskStatus[];
	readonly all?: boolean;
	readonly limit: number;
	readonly json?: boolean;
}

const notes = `
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
		.addHelpText("after", notes.trimEnd());
	return addAddressFlags(command).action(async (flags: TasksFlags) => {
		const { listTasks } = await import("../tasks/list-tasks.ts");
		await listTasks(flags, io);
	});
}
