import { lstat } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import type { Command, CommandOutcome } from "../../vocabulary/sandbox.ts";
import { ifThere } from "./if-there.ts";
import { foundReplaced, PlaceReplaced } from "./pinned-places.ts";

/** Maximum of starts of a command whose files or directories are replaced or removed while its sandbox is built. */
const MAX_STARTS = 3;

/** Runs `start` again if a place was replaced: nothing of the command has run then. */
export async function againIfReplaced<T>(start: () => Promise<T>): Promise<T> {
	for (let started = 1; ; started += 1) {
		try {
			return await start();
		} catch (reason) {
			if (!(reason instanceof PlaceReplaced) || started === MAX_STARTS) throw reason;
		}
	}
}

interface NotBegun {
	readonly command: Command;
	readonly outcome: CommandOutcome;
	/** Paths that were to be empty in the sandbox. Bubblewrap fails if one of them is gone. */
	readonly covers: readonly string[];
	/** See `Bubblewrap.failedToStart`. */
	failedToStart(): Promise<void>;
}

/** Throws the reason why a command never began, unless it was cancelled or its time was over. */
export async function throwReason({ command, outcome, covers, failedToStart }: NotBegun): Promise<void> {
	if (foundReplaced(outcome.output)) throw new PlaceReplaced();
	if (outcome.timedOut || command.signal.aborted) return;
	const gone = await firstMissing(covers);
	if (gone !== undefined) throw new PlaceReplaced(gone);
	await failedToStart();
	if (outcome.code !== 0) throw notBuilt(outcome);
}

async function firstMissing(paths: readonly string[]): Promise<string | undefined> {
	const found = await Promise.all(paths.map((path) => ifThere(lstat(path))));
	return paths[found.indexOf(undefined)];
}

/** Error for a command that never began because a program before it failed. The output has the reason. */
function notBuilt({ output, code, signal }: Omit<CommandOutcome, "timedOut">): ParleyError {
	const [, known] = /(?:bwrap|parley|keyctl_join_session_keyring): (.*)/.exec(output) ?? [];
	// keyctl(1) writes that line when it succeeds.
	const lines = output
		.split("\n")
		.filter((one) => one.trim() !== "" && !one.startsWith("Joined session keyring"));
	const reason = known ?? lines.at(-1) ?? `it ended with ${signal ?? `code ${code}`}`;
	return new ParleyError(`the sandbox could not be set up: ${reason}; nothing was run`, {
		code: "failed_precondition",
	});
}
