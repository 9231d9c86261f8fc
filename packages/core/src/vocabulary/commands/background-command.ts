import { backgroundTexts } from "./texts.ts";
export const backgroundLimits = {
	/** Maximum running commands of a session. */
	perSession: 4,
	/** Maximum running commands of the gateway. */
	all: 32,
	/** Maximum duration of a command in milliseconds. */
	timeoutMs: 4 * 60 * 60 * 1000,
	/**
	 * Maximum bytes of unread output in memory for each command. If the output is longer, only the beginning and the end
	 * stay in memory.
	 */
	unreadBytes: 64 * 1024,
	/** Maximum ended commands in memory, for the gateway. Commands without unread output are removed first. */
	ended: 32,
	/** Maximum milliseconds that a read waits for output. */
	waitMs: 60_000,
} as const;

/**
 * Reason for the end of a command.
 * - exited: it ended by itself.
 * - stopped: the agent or a client stopped it.
 * - timed_out: it reached the maximum time.
 * - gateway: the gateway stopped or crashed.
 * - failed: it could not be started.
 */
export type CommandEndReason = "exited" | "stopped" | "timed_out" | "gateway" | "failed";

export interface CommandEnding {
	readonly reason: CommandEndReason;
	/** Exit code, or null, for example if a signal ended the command. */
	readonly code: number | null;
}

export interface BackgroundCommand {
	/** Number of the command in the session, from 1. */
	readonly n: number;
	/** Command line without secrets. */
	readonly command: string;
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	readonly endedAt?: number;
	/** Absent while the command is running. */
	readonly ending?: CommandEnding;
}

/** Start and end of a background command. `runId` and `callId` identify the tool call that started the command. */
export type CommandEvent =
	| ({ readonly type: "command.started" } & CommandOfCall)
	| ({
			readonly type: "command.ended";
			readonly ending: CommandEnding;
			/** Principal that stopped the command. Absent for other reasons, and if the agent stopped it. */
			readonly by?: string;
	  } & CommandOfCall);

interface CommandOfCall {
	readonly runId: string;
	readonly callId: string;
	readonly n: number;
	readonly command: string;
}

/** The part of a command's outcome that describes the end of the command. */
export interface EndedCommand {
	/** Exit code, or null if a signal ended the command. */
	readonly code: number | null;
	readonly timedOut: boolean;
}

/** Starts the command and resolves with its end. `onOutput` receives the output. Rejects if the command cannot start. */
export type StartedCommand = (options: {
	readonly signal: AbortSignal;
	readonly timeoutMs: number;
	onOutput(chunk: Uint8Array): void;
}) => Promise<EndedCommand>;

/**
 * A command and its output since the last read. The output has at most `backgroundLimits.unreadBytes` bytes, and a marker for
 * missing parts.
 */
export interface NewOutput {
	readonly command: BackgroundCommand;
	/** Undefined if the output is no longer available, for example after a restart. */
	readonly text: string | undefined;
}

/** Operations for tools that start, read and stop background commands. Error messages are written for the model. */
export interface BackgroundAccess {
	/** Throws `failed_precondition` in a task, `resource_exhausted` at a limit, and `unavailable` if the gateway is stopping. */
	check(): void;
	/**
	 * Starts a command that outlives the tool call and its run. The command is recorded before it starts. Throws like `check`.
	 */
	start(command: string, start: StartedCommand): Promise<BackgroundCommand>;
	/**
	 * Waits up to `waitMs` for output or the end, then returns the output since the last read. Throws `not_found`
	 * for an unknown number.
	 */
	output(n: number, waitMs: number): Promise<NewOutput>;
	/**
	 * Stops a command, and resolves when it has ended. Does not change an ended command. Throws `not_found` for an
	 * unknown number.
	 */
	stop(n: number): Promise<BackgroundCommand>;
}

/** Returns the error text for the number of an unknown command. */
export const unknownCommand = (n: number): string => backgroundTexts.unknown(n);

/** Describes the state of a command, for example `running` or `ended with exit code 1`. */
export function commandState({ ending }: BackgroundCommand): string {
	switch (ending?.reason) {
		case undefined:
			return "running";
		case "exited":
			return ending?.code === null ? backgroundTexts.endedBySignal : backgroundTexts.exitCode(ending?.code);
		case "stopped":
			return "stopped";
		case "timed_out":
			return backgroundTexts.maxTime(backgroundLimits.timeoutMs / 3_600_000);
		case "gateway":
			return backgroundTexts.restarted;
		case "failed":
			return backgroundTexts.notStarted;
	}
}

const header = backgroundTexts.heading;

/** Maximum ended commands in the text for the model. */
const maxEnded = 20;

/**
 * Returns a text for the model with the running commands, the last 20 ended commands, and the number of older
 * commands. Returns "" for an empty list.
 */
export function commandsText(commands: readonly BackgroundCommand[]): string {
	if (commands.length === 0) return "";
	const ended = commands.filter(({ ending }) => ending !== undefined);
	const older = ended.slice(0, Math.max(0, ended.length - maxEnded));
	const lines = commands
		.filter((one) => !older.includes(one))
		.map((one) => `[${one.n}: ${JSON.stringify(shortened(one.command))}, ${commandState(one)}]`);
	return [header, ...olderLine(older.length), ...lines].join("\n");
}

function olderLine(count: number): string[] {
	if (count === 0) return [];
	return [count === 1 ? backgroundTexts.earlier(1) : backgroundTexts.earlier(count)];
}

/** Maximum characters of a command line in the text for the model. */
const maxShown = 200;

function shortened(command: string): string {
	return command.length > maxShown ? `${command.slice(0, maxShown).toWellFormed()}…` : command;
}
