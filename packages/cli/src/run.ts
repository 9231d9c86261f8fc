import { type Io, programName } from "./command-line/io.ts";
import { isShown, UsageError } from "./command-line/usage.ts";
import { visibleText } from "./text/visible.ts";

/**
 * Runs one command line and returns the exit code: 2 where it cannot be understood, 1 where the command failed. What
 * went wrong is told on stderr, in a line or two.
 */
export async function run(args: readonly string[], io: Io): Promise<number> {
	const { createProgram } = await import("./program.ts");
	const program = createProgram(io, args);
	try {
		if (args.length === 0) program.outputHelp();
		else await program.parseAsync(args, { from: "user" });
		return io.exitCode;
	} catch (error) {
		if (isShown(error)) return 0;
		if (args[0] === "rpc") return refuseStart(error, io);
		io.stderr.write(`parley: ${visibleText(messageOf(error))}\n`);
		return error instanceof UsageError || isInvalidArgument(error) ? 2 : 1;
	}
}

/** Programs that start an agent read one line, and know no other code for this. */
function refuseStart(error: unknown, io: Io): number {
	const line = messageOf(error).replaceAll(/\s*\n\s*/g, "; ");
	io.stderr.write(`${programName()}: ${visibleText(line)}\n`);
	return 1;
}

/** Errors of our own tell what to do in one line; of others only the message is for people. */
function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** By its code, because the class would load more than a command line that is wrong is worth. */
function isInvalidArgument(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "invalid_argument";
}
