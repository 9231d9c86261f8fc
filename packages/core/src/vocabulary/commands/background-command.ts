import { backgroundTexts } from "./texts.ts";
/** Limits of commands in the background. */
export const backgroundLimits = {
	/** Maximum running commands of one session. */
	perSession: 4,
	/** Maximum running commands of the gateway. */
	all: 32,
	/** Milliseconds after which a command is ended. */
	timeoutMs: 4 * 60 * 60 * 1000,
	/** Bytes of output since the last read that are kept for each command: its beginning and its end. */
	unreadBytes: 64 * 1024,
	/** Ended commands of the gateway whose unread output is kept. */
	ended: 32,
	/** Maximum milliseconds that a read waits for output. */
	waitMs: 60_000,
} as const;

/**
 * Reason of the end of a command.
 * - exited: it ended by itself.
 * - stopped: the agent or a person stopped it.
 * - timed_out: it reached the maximum time.
 * - gateway: the gateway stopped or was restarted.
 * - failed: it could not be started.
 */
export type CommandEndReason = "exited" | "stopped" | "timed_out" | "gateway" | "failed";

export interface CommandEnding {
	readonly reason: CommandEndReason;
	/** The exit code; null without one. */
	readonly code: number | null;
}

/** A command in the background of a session. */
export interface BackgroundCommand {
	/** Number in the session, from 1. */
	readonly n: number;
	/** The command line, without secrets. */
	readonly command: string;
	/** Milliseconds since the epoch. */
	readonly startedAt: number;
	readonly endedAt?: number;
	/** Absent while it runs. */
	readonly ending?: CommandEnding;
}

/** The start and the end of a command in the background. `runId` and `callId` identify the call that started it. */
export type CommandEvent =
	| ({ readonly type: "command.started" } & CommandOfCall)
	| ({
			readonly type: "command.ended";
			readonly ending: CommandEnding;
			/** The principal that stopped it; absent for other reasons, and if the agent stopped it. */
			readonly by?: string;
	  } & CommandOfCall);

interface CommandOfCall {
	readonly runId: string;
	readonly callId: string;
	readonly n: number;
	readonly command: string;
}

/** The part of the outcome of a command that is its end. */
export interface EndedCommand {
	/** The exit code, or null when a signal ended it. */
	readonly code: number | null;
	readonly timedOut: boolean;
}

/** Starts the command and resolves with its end. `onOutput` gets its output. */
export type StartedCommand = (options: {
	readonly signal: AbortSignal;
	readonly timeoutMs: number;
	onOutput(chunk: Uint8Array): void;
}) => Promise<EndedCommand>;

/** Output of a command since the last read, at most `backgroundLimits.unreadBytes`, with a marker for missing parts. */
export interface NewOutput {
	readonly command: BackgroundCommand;
	/** Undefined if the output is no longer kept, for example after a restart. */
	readonly text: string | undefined;
}

/** Commands in the background, for the tools of a call. Errors are in words for the model. */
export interface BackgroundAccess {
	/** Throws if no command can be started: `failed_precondition` in a task, `resource_exhausted` at a limit. */
	check(): void;
	/** Starts a command that outlives the call and its run. It is recorded before it starts. */
	start(command: string, start: StartedCommand): Promise<BackgroundCommand>;
	/** Waits for output or the end for `waitMs`, then returns the output since the last read. Throws `not_found`. */
	output(n: number, waitMs: number): Promise<NewOutput>;
	/** Stops a command and resolves when it has ended. Throws `not_found`. An ended command stays as it is. */
	stop(n: number): Promise<BackgroundCommand>;
}

/** Error for a number without a command. */
export const unknownCommand = (n: number): string => backgroundTexts.unknown(n);

/** The state of a command in a few words: `running`, `ended with exit code 1`. */
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

/** The commands, in the order of their numbers, as text for the model: the running ones and the newest others. "" without commands. */
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

/** Maximum characters of a command line in the text for the model, which has seen the complete one. */
const maxShown = 200;

function shortened(command: string): string {
	return command.length > maxShown ? `${command.slice(0, maxShown).toWellFormed()}…` : command;
}
