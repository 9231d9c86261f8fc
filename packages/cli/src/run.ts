import { type Io, programName } from "./command-line/io.ts";
import { shownCode, UsageError } from "./command-line/usage.ts";
import { visibleText } from "./text/visible.ts";

/**
 * Runs one command line and returns its exit code. Prints an error to stderr. The code of an error is 2 for
 * an invalid command line or argument. It is 1 for all other errors, and for all errors of `rpc`.
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
	const { commandIn, createProgram } = await import("./program.ts");
	const program = createProgram(io, args);
	try {
		if (args.length === 0 && isForPerson(io)) {
			const { chatInProject } = await import("./chat/project-chat.ts");
			return await chatInProject(io);
		}
		if (args.length === 0) program.outputHelp();
		else await program.parseAsync(args, { from: "user" });
		return io.exitCode;
	} catch (error) {
		const shown = shownCode(error);
		if (shown !== undefined) return shown;
		if (commandIn(args) === "rpc") return refuseStart(error, io);
		io.stderr.write(`parley: ${visibleText(messageOf(error))}\n`);
		return error instanceof UsageError || isInvalidArgument(error) ? 2 : 1;
	}
}

/** Whether a command line without arguments opens a chat. Otherwise, it prints the help. */
function isForPerson({ stdin, stdout }: Io): boolean {
	return stdin.isTTY && stdout.isTTY && programName() === "parley";
}

function refuseStart(error: unknown, io: Io): number {
	// Programs that start an agent read one line and expect exit code 1.
	const line = messageOf(error).replaceAll(/\s*\n\s*/g, "; ");
	io.stderr.write(`${programName()}: ${visibleText(line)}\n`);
	return 1;
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function isInvalidArgument(error: unknown): boolean {
	// Compares the error code, because the error class would load modules that an invalid command line does not need.
	return error instanceof Error && "code" in error && error.code === "invalid_argument";
}
