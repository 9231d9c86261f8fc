import { type Clock, type Ids, ParleyError } from "@parley/base";
import type { Command, CommandOutcome, Sandbox } from "../sandbox.ts";
import { findProgram } from "./find-program.ts";
import { killMarked, MARK_NAME } from "./marked-processes.ts";
import { OutputWindow } from "./output-window.ts";
import { ProcessGroup } from "./process-group.ts";

/** All that a command may know of the environment: no key of the gateway is among these names. */
const allowedNames = [
	"PATH",
	"HOME",
	"LANG",
	"LC_ALL",
	"LC_CTYPE",
	"TERM",
	"TZ",
	"USER",
	"LOGNAME",
	"SHELL",
	"TMPDIR",
] as const;
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";
/** How long an ended command counts as one that ran lately: its connections may outlive it. */
const REMEMBERED_MS = 60_000;

interface UnsandboxedOptions {
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly clock: Clock;
	readonly ids: Ids;
}

/**
 * Runs commands with the operator's own power: what holds here is the end of the process group (on Linux also of what
 * left it with its environment), the environment of allowed names, no input and no inherited descriptors. `run` rejects with `not_found` or `failed_precondition` when
 * the command cannot be started and with `cancelled` when its signal aborted before; once started it always resolves.
 * The two output streams are sockets: a command cannot open them again by the names /dev/stdout and /dev/stderr.
 */
export function createUnsandboxed({ environment, clock, ids }: UnsandboxedOptions): Sandbox {
	const marker = ids.create("commands");
	let started = 0;
	const allowed = allowedEnvironment(environment);
	/** When each leader ended, on the monotonic clock; Infinity while it runs. */
	const endings = new Map<number, number>();

	async function run(command: Command): Promise<CommandOutcome> {
		const program = await findProgram(command.executable, allowed["PATH"] ?? DEFAULT_PATH);
		if (command.signal.aborted) throw new ParleyError("cancelled", { code: "cancelled" });
		const output = new OutputWindow(command.maxOutputBytes);
		started += 1;
		const mark = `${marker}.${started}`;
		const group = await ProcessGroup.start(
			{
				argv: [program, ...command.args],
				cwd: command.cwd,
				environment: { ...allowed, ...command.environment, [MARK_NAME]: mark },
				onOutput: (chunk) => output.write(chunk),
			},
			clock,
		);
		forgetOld();
		endings.set(group.pid, Number.POSITIVE_INFINITY);
		const cleared = group.exited.then(() => killMarked(mark));
		const { timedOut, ...end } = await watch(group, command, clock);
		await cleared;
		endings.set(group.pid, clock.monotonic());
		return { ...end, timedOut, output: output.text() };
	}

	function forgetOld(): void {
		const oldest = clock.monotonic() - REMEMBERED_MS;
		for (const [pid, endedAt] of endings) if (endedAt < oldest) endings.delete(pid);
	}

	return {
		mode: "off",
		get marker() {
			return started > 0 ? marker : undefined;
		},
		run,
		processes: () => {
			forgetOld();
			return [...endings.keys()];
		},
	};
}

async function watch(group: ProcessGroup, { signal, timeoutMs }: Command, clock: Clock) {
	let timedOut = false;
	const abort = (): void => group.terminate();
	const timer = clock.after(timeoutMs, () => {
		timedOut = true;
		group.terminate();
	});
	signal.addEventListener("abort", abort, { once: true });
	if (signal.aborted) abort();
	try {
		return { ...(await group.ended), timedOut };
	} finally {
		timer.cancel();
		signal.removeEventListener("abort", abort);
	}
}

function allowedEnvironment(environment: UnsandboxedOptions["environment"]): Record<string, string> {
	const allowed: Record<string, string> = {};
	for (const name of allowedNames) {
		const value = environment[name];
		if (value !== undefined) allowed[name] = value;
	}
	return allowed;
}
