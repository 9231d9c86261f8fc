import type { Ids } from "@parley/base";
import { undoChanges } from "../../tools/files/undo-changes.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";
import { callsOf } from "../../vocabulary/transcript.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import type { Run } from "../run/run.ts";
import { type CallPorts, runCalls } from "./run-calls.ts";

/**
 * Runs the operator's command or undo as a tool call. The policy, approvals, sandbox, output limits and audit apply as
 * for every tool call. Later model calls receive the call and its result. Returns true if the tool call ran. Returns
 * false for any other run, and if a message was added to the run, because a model must answer that message.
 */
export async function runOwnCommand(run: Run, ports: CallPorts & { readonly ids: Ids }): Promise<boolean> {
	const own = callOf(run.row.options);
	if (own === undefined || run.steps.some(({ kind }) => kind === "steered")) return false;
	if (!run.steps.some(({ kind }) => kind === "reply")) {
		const id = ports.ids.create("call");
		const call = { type: "call", id, ...own } as const;
		await run.commit(({ step }) =>
			step({ kind: "reply", content: [call], model: "", usage: noUsage, cost: 0 }),
		);
	}
	const calls = run.steps.flatMap((step) => (step.kind === "reply" ? callsOf(step.content) : []));
	await runCalls(run, calls, ports);
	return true;
}

function callOf({ command, undo }: RunOptions): { name: string; arguments: object } | undefined {
	if (command !== undefined) return { name: "run_command", arguments: { cmd: command } };
	return undo && { name: undoChanges.name, arguments: { ...undo } };
}
