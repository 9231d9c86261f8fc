import type { Ids } from "@parley/base";
import { callsOf } from "../../vocabulary/transcript.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import type { Run } from "../run/run.ts";
import { type CallPorts, runCalls } from "./run-calls.ts";

/**
 * Runs the command of the operator as a call of `run_command`, with its policy, approval, sandbox, output and audit.
 * Later model calls see the call and its result. Returns false for a run without a command, and for a run with an added
 * message, because a model answers that message.
 */
export async function ranOwnCommand(run: Run, ports: CallPorts & { readonly ids: Ids }): Promise<boolean> {
	const { command } = run.row.options;
	if (command === undefined || run.steps.some(({ kind }) => kind === "steered")) return false;
	if (!run.steps.some(({ kind }) => kind === "reply")) {
		const id = ports.ids.create("call");
		const call = { type: "call", id, name: "run_command", arguments: { cmd: command } } as const;
		await run.commit(({ step }) =>
			step({ kind: "reply", content: [call], model: "", usage: noUsage, cost: 0 }),
		);
	}
	const calls = run.steps.flatMap((step) => (step.kind === "reply" ? callsOf(step.content) : []));
	await runCalls(run, calls, ports);
	return true;
}
