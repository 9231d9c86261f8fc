import * as z from "zod";
import {
	type BackgroundCommand,
	backgroundLimits,
	commandState,
} from "../../vocabulary/commands/background-command.ts";
import { defineTool, type Tool, type ToolPlan } from "../../vocabulary/tool.ts";
import { commandOutputTexts, stopCommandTexts } from "./texts.ts";

const number = z.int().min(1).max(1_000_000).describe(commandOutputTexts.number);

const reading = () =>
	z.strictObject({
		command: number,
		wait_ms: z.int().min(0).max(backgroundLimits.waitMs).default(0).describe(commandOutputTexts.waitMs),
	});

const commandOutput = defineTool<z.infer<ReturnType<typeof reading>>>({
	name: "command_output",
	description: commandOutputTexts.description,
	parameters: reading,
	accepts: {
		names: ["bash_output", "read_command_output"],
		parameters: {
			command: { names: ["id", "bash_id", "number"] },
			wait_ms: { names: ["wait_seconds", "timeout_ms"], unit: "ms", atMost: true },
		},
	},
	effect: "none",
	usual: ["read"],
	plan: async ({ command }) => planned(commandOutputTexts.label(command)),
	async run({ command: n, wait_ms: waitMs }, _plan, { background }) {
		const { command, text } = await background.output(n, waitMs);
		const output = text === "" ? commandOutputTexts.noNewOutput : (text ?? commandOutputTexts.outputDeleted);
		return { text: `${output}${output.endsWith("\n") ? "" : "\n"}[${stateOf(command)}]`, failed: false };
	},
});

const choosing = () => z.strictObject({ command: number });

const stopCommand = defineTool<z.infer<ReturnType<typeof choosing>>>({
	name: "stop_command",
	description: stopCommandTexts.description,
	parameters: choosing,
	accepts: {
		names: ["kill_bash", "kill_shell", "kill_command"],
		parameters: { command: { names: ["id", "bash_id", "shell_id", "number"] } },
	},
	effect: "idempotent",
	// Stopping needs no approval: the command was already allowed, and stopping gives it no further permissions.
	usual: ["read"],
	plan: async ({ command }) => planned(stopCommandTexts.label(command)),
	async run({ command }, _plan, { background }) {
		return { text: stateOf(await background.stop(command)), failed: false };
	},
});

export const backgroundTools: readonly Tool[] = [commandOutput, stopCommand];

function planned(label: string): ToolPlan {
	return { label, classes: ["read"], preview: "", binding: {}, notes: [] };
}

function stateOf(command: BackgroundCommand): string {
	return `command ${command.n} ${command.ending === undefined ? stopCommandTexts.running : commandState(command)}`;
}
