import { type CommandSync, planCommands } from "../commands/command-sync.ts";
import type { Finding } from "./finding.ts";

/** Whether people see the commands that there are. Changes nothing. */
export async function checkCommands(commands: CommandSync): Promise<Finding> {
	const id = "discord-commands";
	const steps = await planCommands(commands);
	if (steps.length === 0) return { id, status: "ok", what: "the commands at Discord are up to date" };
	const named = steps.map(
		(step) => `${step.action} ${step.action === "delete" ? step.name : step.command.name}`,
	);
	const fix = "start the connector: it does that, and says in its log what Discord refuses";
	return { id, status: "warn", what: `the commands at Discord are not up to date: ${named.join(", ")}`, fix };
}
