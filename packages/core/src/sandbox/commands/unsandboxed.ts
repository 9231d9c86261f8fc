import { realpath } from "node:fs/promises";
import { type Clock, type Ids, ParleyError } from "@parley/base";
import { fileError, ifThere } from "../../filesystem/file-error.ts";
import { replacedDirectory } from "../../filesystem/paths.ts";
import { OpenDirectory } from "../../filesystem/regular-file.ts";
import type { Command, CommandOutcome, Sandbox } from "../../vocabulary/sandbox.ts";
import { limitFiles } from "./command-limits.ts";
import { CommandRuns } from "./command-runs.ts";
import { allowedEnvironment, DEFAULT_PATH, type Environment, findProgram } from "./environment.ts";
import { MARK_NAME } from "./process-group.ts";
import { commandTexts } from "./texts.ts";

interface UnsandboxedOptions {
	readonly environment: Environment;
	readonly clock: Clock;
	readonly ids: Ids;
	/** Runner that records the commands. Default: a new runner that records only commands of this `Sandbox` object. */
	readonly runs?: CommandRuns;
}

interface Unsandboxed extends Sandbox {
	readonly marker: string | undefined;
	readonly started: number;
	processes(): readonly number[];
}

/**
 * Creates a sandbox that runs commands with the operator's permissions. A command gets the gateway's variables with
 * allowed names and the variables of `Command.environment`. It gets no input, except in a dialogue. The process group
 * of a command ends with the command. On Linux, processes that left the group also end if the mark is still in their
 * environment. `run` rejects if the command cannot be started, for example with `not_found`, and with `cancelled` if
 * the signal of the command aborted before the start. The output streams are sockets, so a command cannot reopen them
 * as /dev/stdout and /dev/stderr.
 */
export function createUnsandboxed(options: UnsandboxedOptions): Unsandboxed {
	const { environment, runs = new CommandRuns(options) } = options;
	const allowed = allowedEnvironment(environment);
	const sandbox: Unsandboxed = {
		mode: "off",
		profile: "off",
		environment: allowed,
		get network() {
			return sandbox;
		},
		get marker() {
			return runs.marker;
		},
		get started() {
			return runs.started;
		},
		processes: () => runs.processes(),
		async run(command) {
			const program = await findProgram(command.executable, allowed["PATH"] ?? DEFAULT_PATH);
			if (command.signal.aborted) throw new ParleyError("cancelled", { code: "cancelled" });
			const runIn = (cwd: string): Promise<CommandOutcome> =>
				runs.run(command, async (mark) => ({
					argv: [...limiting(command), program, ...command.args],
					cwd,
					environment: { ...allowed, ...command.environment, [MARK_NAME]: mark },
					contained: false,
				}));
			// Bubblewrap runs only on Linux. On other systems, no sandboxed command can replace the directory.
			if (command.power !== "read" && process.platform !== "linux") return runIn(command.cwd);
			await using directory = await openDirectory(command.cwd);
			return await runIn(directory.at("."));
		},
	};
	return sandbox;
}

/** Opens the directory. Throws `failed_precondition` if the path is missing, is a link or contains a link. */
async function openDirectory(path: string): Promise<OpenDirectory> {
	try {
		return await OpenDirectory.open(path);
	} catch (cause) {
		const real = await ifThere(realpath(path));
		if (real === path) throw fileError(commandTexts.cannotRunIn(path), cause);
		throw replacedDirectory(path, commandTexts.workingDirectory, real);
	}
}

/**
 * Returns the words of a shell command that sets the limit `maxFileBytes` and then executes the words that follow.
 * Returns an empty list if there is no limit.
 */
function limiting({ maxFileBytes }: Command): string[] {
	return maxFileBytes === undefined
		? []
		: ["/bin/sh", "-c", `${limitFiles(maxFileBytes, false)} 2>/dev/null; exec "$@"`, "parley"];
}
