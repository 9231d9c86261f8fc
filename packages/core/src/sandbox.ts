/** One command to run to its end. */
export interface Command {
	readonly executable: string;
	readonly args: readonly string[];
	readonly cwd: string;
	/** Variables that it gets beside the few that every command gets; what stands there may be a password. */
	readonly environment?: Readonly<Record<string, string>>;
	/** Milliseconds of wall time before the whole process group is killed. */
	readonly timeoutMs: number;
	/** Bytes of output that are kept (head and tail); above it a marker says how much was left out. */
	readonly maxOutputBytes: number;
	readonly signal: AbortSignal;
}

export interface CommandOutcome {
	/** The exit code, or null when a signal ended it. */
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
	/** Standard output and error as they came, with the marker where some was left out. */
	readonly output: string;
	readonly timedOut: boolean;
}

/** The one place where child processes start. */
export interface Sandbox {
	/** `off`: commands run with the operator's own power. */
	readonly mode: "off" | "bubblewrap";
	run(command: Command): Promise<CommandOutcome>;
	/**
	 * What the environment of every process that a command starts holds in its text, unless that process cleared it:
	 * nobody can guess it. Undefined as long as no command has run.
	 */
	readonly marker: string | undefined;
	/** Process ids (also session and group ids) of the commands that run now or ran lately. */
	processes(): readonly number[];
}
