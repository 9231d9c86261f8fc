import type { Clock, Logger } from "@parley/base";
import { type CommandSync, nameOf, planCommands, restoreCommands } from "../commands/command-sync.ts";
import type { SyncStep } from "../commands/plan-sync.ts";
import type { Finding } from "./finding.ts";

const id = "discord-commands";

const faults = { create: "missing", change: "overwritten", delete: "obsolete" } as const;

/** Compares the commands at Discord with those of this version. Changes nothing. */
export async function checkCommands(commands: CommandSync): Promise<Finding> {
	const steps = await planCommands(commands);
	if (steps.length === 0) return { id, status: "ok", what: "the commands at Discord are up to date" };
	const fix = "run `parley discord doctor --fix`, or restart the connector";
	return { id, status: "warn", what: `the commands at Discord are not up to date: ${listed(steps)}`, fix };
}

/** Restores missing and overwritten commands. Waits up to a minute at a time when Discord limits the rate. */
export async function fixCommands(
	commands: CommandSync,
	{ clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<Finding> {
	const steps = await restoreCommands(commands, { clock, log, patienceMs: 60_000 });
	const what =
		steps.length === 0
			? "the commands at Discord are up to date"
			: `restored the commands at Discord: ${listed(steps)}`;
	return { id, status: "ok", what };
}

function listed(steps: readonly SyncStep[]): string {
	return steps.map((step) => `${nameOf(step)} (${faults[step.action]})`).join(", ");
}
