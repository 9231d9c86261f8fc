import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import type { Duplex, Writable } from "node:stream";
import { type Clock, definedItems, ParleyError, type Timer } from "@parley/base";
import { fileFault, systemCode } from "../../filesystem/file-error.ts";
import type { Dialogue, ProgramInput } from "../../vocabulary/sandbox.ts";
import { commandTexts } from "./texts.ts";

/** Milliseconds between SIGTERM and SIGKILL. A command must have ended two seconds after it was stopped. */
const TERMINATE_MS = 1_500;
/**
 * Milliseconds to wait for a killed process to end, or for another process to close the pipes after the leader has
 * ended.
 */
const ABANDON_MS = 1_000;
const FIRST_TEXT = 3;

/**
 * Shell that first closes inherited descriptors, because libuv sets the close-on-exec mark only on descriptors with low
 * numbers. Other shells cannot close descriptors above 9, so they close none.
 * https://docs.libuv.org/en/v1.x/process.html#c.uv_disable_stdio_inheritance
 */
const BASH = "/bin/bash";
const BASH_PRELUDE = `for f in /dev/fd/*; do f=\${f##*/}; [ "$f" -gt LAST ] 2>/dev/null && eval "exec $f>&-"; done; `;
const SH = "/bin/sh";
/**
 * Redirection of stderr to stdout. Omitted for a dialogue, because the output of a dialogue contains only responses.
 */
const JOINED = "exec 2>&1; ";
/**
 * Shell command that executes its arguments with an empty environment. A plain `exec` would also pass the variables
 * that the shell itself exports.
 */
const BASH_WITH_NOTHING = 'exec -c "$@"';
const SH_WITH_NOTHING = 'exec env -i "$@"';

/** Program to start. `argv[0]` is its path. */
export interface Start {
	readonly argv: readonly string[];
	readonly cwd: string;
	readonly environment: Readonly<Record<string, string>>;
	/** Texts that the program reads from descriptors 3, 4 and so on. */
	readonly texts?: readonly (string | Uint8Array)[];
	/**
	 * Receives a handle that a program sends before the command begins. If `onHandle` is present, Node's IPC channel has
	 * the descriptor after the descriptors of `texts`:
	 * https://nodejs.org/api/child_process.html#subprocesssendmessage-sendhandle-options-callback
	 */
	onHandle?(handle: unknown): void;
	/**
	 * Whether the program gets a further descriptor, after the descriptors of `texts`, to watch the gateway. The
	 * descriptor receives no data, and ends when the gateway ends.
	 */
	readonly watchesParent?: boolean;
	onOutput(chunk: Buffer): void;
	/** Dialogue with the command: see `Command`. */
	readonly dialogue?: Dialogue;
	/**
	 * Asks the processes to end. If `ask` is present, it is called and the group receives no SIGTERM. Resolves with true
	 * if a process received the request.
	 */
	ask?(): Promise<boolean>;
}

export interface GroupEnd {
	readonly code: number | null;
	readonly signal: NodeJS.Signals | null;
}

/**
 * A command in its own session and process group. The command has no input unless it has a dialogue. When the leader of
 * the group ends, the remaining processes of the group are killed. A process that creates its own session leaves the
 * group: see `killMarked`.
 */
export class ProcessGroup {
	/** Process id, or 0 if there is no process. */
	readonly pid: number;
	/** Resolves when the process runs. Rejects with `failed_precondition` if the process cannot be started. */
	readonly running: Promise<void>;
	/** Settles when the leader has ended and its output has been read, or when the maximum wait is over. */
	readonly ended: Promise<GroupEnd>;
	/** Settles when the leader has ended or the maximum wait is over. Part of the output may still be unread. */
	readonly exited: Promise<void>;
	readonly #clock: Clock;
	readonly #child: ChildProcess;
	readonly #timers: Timer[] = [];
	readonly #ask: Start["ask"];
	#end: GroupEnd | undefined;
	readonly #exit = Promise.withResolvers<void>();
	#settle: ((end: GroupEnd) => void) | undefined;

	/**
	 * Starts the process. Throws `failed_precondition` if the start fails immediately. If the start fails later,
	 * `running` rejects.
	 */
	constructor(start: Start, clock: Clock) {
		const child = spawnChild(start);
		this.#child = child;
		this.#clock = clock;
		this.#ask = start.ask?.bind(start);
		this.pid = child.pid ?? 0;
		this.running = new Promise<void>((resolve, reject) => {
			child.once("spawn", resolve);
			child.on("error", (cause) => reject(cannotStart(start, cause)));
		});
		this.exited = this.#exit.promise;
		this.ended = new Promise((resolve) => {
			this.#settle = resolve;
		});
		const { dialogue } = start;
		const outputs = [
			[child.stdout, (chunk: Buffer) => start.onOutput(chunk)],
			[child.stderr, (chunk: Buffer) => dialogue?.onErrors(chunk)],
		] as const;
		if (child.stdin) dialogue?.started(inputOf(child.stdin));
		for (const [stream, onChunk] of outputs) {
			stream?.on("data", onChunk);
			// Unreadable output is treated as ended. The event `close` follows.
			stream?.on("error", () => stream.destroy());
		}
		start.texts?.forEach((text, index) => {
			// The cast is safe because `spawnChild` opens a pipe for each text. Node's type allows any stream here.
			const stream = child.stdio[FIRST_TEXT + index] as Duplex | null;
			// A process may end without reading its input.
			stream?.on("error", () => stream.destroy());
			stream?.resume().end(text);
		});
		// The descriptor only shows whether the gateway lives. The descriptor transfers no data.
		const watched = start.watchesParent ? child.stdio[FIRST_TEXT + (start.texts?.length ?? 0)] : null;
		watched?.on("error", () => watched.destroy());
		// The IPC channel closes with its other end. Calling `disconnect` here would prevent Node from emitting
		// `close`.
		child.once("message", (_message, handle: unknown) => start.onHandle?.(handle));
		child.once("exit", (code, signal) => this.#leaderEnded({ code, signal }));
		child.once("close", () => this.#finish());
	}

	/**
	 * Sends SIGTERM to the group, or calls `ask` if it is present. Kills the group 1.5 s later. If `ask` reaches no
	 * process, kills the group immediately.
	 */
	terminate(): void {
		this.#askToEnd();
		this.#later(TERMINATE_MS, () => {
			this.#kill("SIGKILL");
			// A process of another user, or a process that waits in the kernel, may not end.
			this.#later(ABANDON_MS, () => this.#finish());
		});
	}

	#askToEnd(): void {
		if (this.#ask === undefined) {
			this.#kill("SIGTERM");
			return;
		}
		const requested = this.#ask().catch(() => false);
		void requested.then((anybody) => {
			if (!anybody && this.#end === undefined) this.#kill("SIGKILL");
		});
	}

	#leaderEnded(end: GroupEnd): void {
		this.#end = end;
		this.#kill("SIGKILL");
		this.#exit.resolve();
		// A process that left the group may still use the pipes.
		this.#later(ABANDON_MS, () => this.#finish());
	}

	#finish(): void {
		for (const timer of this.#timers.splice(0)) timer.cancel();
		this.#child.stdin?.destroy();
		this.#child.stdout?.destroy();
		this.#child.stderr?.destroy();
		this.#child.unref();
		this.#exit.resolve();
		this.#settle?.(this.#end ?? { code: null, signal: "SIGKILL" });
	}

	#later(ms: number, action: () => void): void {
		this.#timers.push(this.#clock.after(ms, action));
	}

	#kill(signal: NodeJS.Signals): void {
		if (this.pid > 0) signalGroup(this.pid, signal);
	}
}

/**
 * Sends a signal to the process group with the leader `leader`. Does nothing if the group has no processes, or if its
 * processes belong to another user.
 */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-leader, signal);
	} catch (reason) {
		if (!isMissingOrForeign(reason)) throw reason;
	}
}

function inputOf(stream: Writable): ProgramInput {
	const closed = (cause: unknown): ParleyError =>
		new ParleyError(commandTexts.readsNoInput, { code: "unavailable", cause });
	// The failed write reports the error.
	stream.on("error", () => stream.destroy());
	return {
		get waiting() {
			return stream.writableLength;
		},
		write: (bytes) =>
			new Promise((resolve, reject) => {
				stream.write(bytes, (cause) => (cause ? reject(closed(cause)) : resolve()));
			}),
		end: () => void stream.end(),
	};
}

function spawnChild({
	argv,
	cwd,
	environment,
	texts = [],
	onHandle,
	watchesParent = false,
	dialogue,
}: Start): ChildProcess {
	const bash = existsSync(BASH);
	const withNothing = bash ? BASH_WITH_NOTHING : SH_WITH_NOTHING;
	const channel = onHandle ? (["ipc"] as const) : [];
	const pipes = definedItems([
		...texts.map(() => "pipe" as const),
		watchesParent ? ("pipe" as const) : undefined,
	]);
	const last = FIRST_TEXT + pipes.length + channel.length - 1;
	const closing = bash ? BASH_PRELUDE.replace("LAST", String(last)) : "";
	const prelude = dialogue ? closing : JOINED + closing;
	const command = Object.keys(environment).length === 0 ? withNothing : 'exec "$@"';
	try {
		return spawn(bash ? BASH : SH, ["-c", prelude + command, "parley", ...argv], {
			cwd,
			env: environment,
			detached: true,
			// Standard error is ignored until the shell redirects it, because warnings of the shell are not output of the
			// command.
			stdio: [dialogue ? "pipe" : "ignore", "pipe", dialogue ? "pipe" : "ignore", ...pipes, ...channel],
		});
	} catch (cause) {
		throw cannotStart({ argv, cwd }, cause);
	}
}

function cannotStart(
	{ argv, cwd }: { readonly argv: readonly string[]; readonly cwd: string },
	cause: unknown,
): ParleyError {
	const code = systemCode(cause);
	const known = code === "ENOENT" ? commandTexts.missing : fileFault(cause);
	const reason = code === "" ? commandTexts.unknownReason : known;
	return new ParleyError(commandTexts.cannotStart(argv[0] ?? "", cwd, reason), {
		code: "failed_precondition",
		cause,
	});
}

function isMissingOrForeign(reason: unknown): boolean {
	// ESRCH: the group has no process. EPERM: the processes of the group run as another user.
	return reason instanceof Error && "code" in reason && (reason.code === "ESRCH" || reason.code === "EPERM");
}

/** Environment variable with the mark of the command to which a process belongs. */
export const MARK_NAME = "PARLEY_CALL";

/** Maximum rounds of `killMarked`. A process can start child processes during a round. */
const MAX_ROUNDS = 20;

/**
 * Kills the processes of the gateway's user that were started with `mark` in their environment, in any session or
 * group. Stops after `MAX_ROUNDS` rounds. Works only on Linux, because other systems do not show the environment of a
 * process: https://man7.org/linux/man-pages/man5/proc_pid_environ.5.html
 */
export async function killMarked(mark: string): Promise<void> {
	for (let round = 0; round < MAX_ROUNDS; round += 1) {
		if ((await signalMarked(mark, "SIGKILL")) === 0) return;
	}
}

/**
 * Sends a signal once to each process of the gateway's user with `mark` in its environment. Resolves with the number of
 * processes. On systems other than Linux, resolves with 0.
 */
export async function signalMarked(mark: string, signal: NodeJS.Signals): Promise<number> {
	if (process.platform !== "linux") return 0;
	const found = await findMarked(mark);
	for (const pid of found) send(pid, signal);
	return found.length;
}

async function findMarked(mark: string): Promise<number[]> {
	const entry = `${MARK_NAME}=${mark}`;
	const names = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name));
	const marked = await Promise.all(
		names.map(async (name) => {
			const environment = await readFile(`/proc/${name}/environ`, "latin1").catch(ignoreUnreadable);
			if (!environment?.split("\0").includes(entry)) return false;
			// Some users, such as root, can read the environments of all processes, but must end only their own processes.
			const owner = await stat(`/proc/${name}`).catch(ignoreUnreadable);
			return owner?.uid === process.getuid?.();
		}),
	);
	return names.filter((_, index) => marked[index]).map(Number);
}

function send(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch (reason) {
		ignoreUnreadable(reason);
	}
}

/**
 * Returns undefined if the error means that the process has ended or belongs to another user. Throws any other error.
 */
function ignoreUnreadable(reason: unknown): undefined {
	const code = reason instanceof Error && "code" in reason ? reason.code : undefined;
	if (["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(String(code))) return undefined;
	throw reason;
}
