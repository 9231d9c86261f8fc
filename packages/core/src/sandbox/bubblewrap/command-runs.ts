import { type Clock, type Ids, ParleyError } from "@parley/base";
import type { Command, CommandOutcome } from "../../vocabulary/sandbox.ts";
import { killMarked, signalMarked } from "../marked-processes.ts";
import { OutputWindow } from "../output-window.ts";
import { ProcessGroup, type Start } from "../process-group.ts";
import { Opening } from "./opening.ts";

/** Milliseconds after its end during which a command counts as running, because its connections may outlive it. */
const REMEMBERED_MS = 60_000;

/** Everything that is needed to start a command. */
export interface Prepared extends Pick<Start, "argv" | "cwd" | "environment" | "texts" | "onHandle"> {
	/** Whether it has its own namespaces: its processes end with it, and it does not share the gateway's network. */
	readonly contained: boolean;
	/** Text that is printed in one piece before the command begins. The output starts behind it. */
	readonly begun?: string;
}

export interface EndedRun extends CommandOutcome {
	/** Whether `begun` was printed. Absent without `begun`. */
	readonly hasBegun?: boolean;
}

/** Runs commands to their end, with or without a sandbox, and remembers their processes. */
export class CommandRuns {
	readonly #clock: Clock;
	readonly #marker: string;
	/** Monotonic time at which each uncontained command ended, by process id. Infinity while it runs. */
	readonly #endings = new Map<number, number>();
	#all = 0;
	#open = 0;
	#hasOpen = false;

	constructor({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }) {
		this.#clock = clock;
		this.#marker = ids.create("commands");
	}

	/** See `Sandboxes.marker`. */
	get marker(): string | undefined {
		return this.#hasOpen ? this.#marker : undefined;
	}

	/** See `Sandboxes.started`. */
	get started(): number {
		return this.#open;
	}

	/** See `Sandboxes.processes`. */
	processes(): readonly number[] {
		this.#forgetOld();
		return [...this.#endings.keys()];
	}

	/** `prepare` gets the mark that the command's processes have to carry in their environment. */
	async run(command: Command, prepare: (mark: string) => Promise<Prepared>): Promise<EndedRun> {
		this.#all += 1;
		const mark = `${this.#marker}.${this.#all}`;
		const { contained, begun, ...prepared } = await prepare(mark);
		this.#hasOpen ||= !contained;
		if (command.signal.aborted) throw new ParleyError("cancelled", { code: "cancelled" });
		const output = new OutputWindow(command.maxOutputBytes);
		const opening = new Opening(begun, heardBy(command, output));
		this.#forgetOld();
		const group = new ProcessGroup(
			{
				...prepared,
				onOutput: (chunk) => opening.write(chunk),
				...(contained && { ask: async () => (await signalMarked(mark, "SIGTERM")) > 0 }),
			},
			this.#clock,
		);
		const isOpen = !contained && group.pid > 0;
		// Before anything is awaited: another task could otherwise see a process that is not counted.
		if (isOpen) {
			this.#open += 1;
			this.#endings.set(group.pid, Number.POSITIVE_INFINITY);
		}
		await group.running;
		const cleared = isOpen ? group.exited.then(() => killMarked(mark)) : undefined;
		// `all` also handles a rejection of the one while the other is pending.
		const [{ timedOut, ...end }] = await Promise.all([this.#watch(group, command), cleared]).finally(() => {
			if (isOpen) this.#endings.set(group.pid, this.#clock.monotonic());
		});
		// Listeners get the output of the command alone.
		const hasBegun = opening.end(output);
		return { ...end, timedOut, output: output.text(), ...(begun !== undefined && { hasBegun }) };
	}

	async #watch(group: ProcessGroup, { signal, timeoutMs }: Command) {
		let timedOut = false;
		const abort = (): void => group.terminate();
		const timer = this.#clock.after(timeoutMs, () => {
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

	#forgetOld(): void {
		const oldest = this.#clock.monotonic() - REMEMBERED_MS;
		for (const [pid, endedAt] of this.#endings) if (endedAt < oldest) this.#endings.delete(pid);
	}
}

/** Passes output to the window and to the listener of the command. */
function heardBy(command: Command, output: OutputWindow): Pick<OutputWindow, "write"> {
	if (!command.onOutput) return output;
	return {
		write: (chunk) => {
			output.write(chunk);
			if (chunk.length > 0) command.onOutput?.(chunk);
		},
	};
}
