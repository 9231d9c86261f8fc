import { ParleyError } from "@parley/base";
import type { CommandOutcome } from "../../vocabulary/sandbox.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";

/** Milliseconds for one start of ripgrep. */
const TIMEOUT_MS = 20_000;

/**
 * What holds for every start: no configuration file, whose options would count like ours, and no messages about
 * single files, which would stand between the lines of the result.
 */
const ALWAYS = ["--no-config", "--no-messages", "--color=never"];

interface Start {
	readonly args: readonly string[];
	/** Absolute and real. */
	readonly cwd: string;
	readonly maxOutputBytes: number;
}

/** Runs ripgrep in the sandbox. Throws `cancelled` where the call was stopped meanwhile. */
export async function runRipgrep(
	{ args, cwd, maxOutputBytes }: Start,
	{ sandbox, signal }: Pick<ToolContext, "sandbox" | "signal">,
): Promise<CommandOutcome> {
	const outcome = await sandbox.run({
		executable: await findRipgrep(),
		args: [...ALWAYS, ...args],
		cwd,
		power: "read",
		timeoutMs: TIMEOUT_MS,
		maxOutputBytes,
		signal,
	});
	if (signal.aborted) throw new ParleyError("cancelled", { code: "cancelled" });
	return outcome;
}

/** The package of ripgrep has a part for each platform, and cannot be loaded where it has none. */
export async function findRipgrep(load = () => import("@vscode/ripgrep")): Promise<string> {
	try {
		const { rgPath } = await load();
		return rgPath;
	} catch (cause) {
		throw new ParleyError(
			`ripgrep, which this tool needs, has no build for ${process.platform} on ${process.arch}: use run_command`,
			{ code: "failed_precondition", cause },
		);
	}
}
