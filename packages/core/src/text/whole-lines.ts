import type { CommandOutcome } from "../vocabulary/sandbox.ts";

/** Lines up to where output was left out, and whether some was. The last line before that may be a part of one. */
export function wholeLines({ output }: Pick<CommandOutcome, "output">): {
	readonly lines: string[];
	readonly cut: boolean;
} {
	const lines = output.split("\n");
	const cut = lines.findIndex((line) => /^\[… \d+ bytes left out …\]$/.test(line));
	if (cut !== -1) return { lines: lines.slice(0, Math.max(0, cut - 1)), cut: true };
	if (lines.at(-1) === "") lines.pop();
	return { lines, cut: false };
}
