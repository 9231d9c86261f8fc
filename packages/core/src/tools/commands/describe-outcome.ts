import type { CommandOutcome } from "../../vocabulary/sandbox.ts";
import type { ToolResult } from "../../vocabulary/tool.ts";

interface Limits {
	readonly timeoutMs: number;
	readonly aborted: boolean;
}

/** What a command wrote, and how it ended where that was not well. */
export function describeOutcome(outcome: CommandOutcome, limits: Limits): ToolResult {
	const output = outcome.output === "" ? "(no output)" : outcome.output;
	const ending = endingOf(outcome, limits);
	if (ending === undefined) return { text: output, failed: false };
	return { text: `${output}${output.endsWith("\n") ? "" : "\n"}[${ending}]`, failed: true };
}

function endingOf(outcome: CommandOutcome, { timeoutMs, aborted }: Limits): string | undefined {
	if (outcome.timedOut) return `timed out after ${timeoutMs / 1_000} s`;
	if (aborted && outcome.code !== 0) return "cancelled";
	if (outcome.code === null) return `ended by ${outcome.signal}`;
	return outcome.code === 0 ? undefined : `exit code ${outcome.code}`;
}
