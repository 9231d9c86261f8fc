import { type Clock, type Ids, ParleyError } from "@parley/base";
import type { Command, CommandOutcome } from "../sandbox.ts";
import { killMarked, signalMarked } from "./marked-processes.ts";
import { Opening } from "./opening.ts";
import { OutputWindow } from "./output-window.ts";
import { ProcessGroup, type Start } from "./process-group.ts";

/** How long an ended command counts as one that ran lately: its connections may outlive it. */
const REMEMBERED_MS = 60_000;

/** A command as it is started. */
export interface Prepared extends Pick<Start, "argv" | "cwd" | "environment" | "texts" | "onHandle"> {
	/** Whether it has namespaces of its own: all that it starts ends with it, and its network is not the gateway's. */
	readonly contained: boolean;
	/** What is written, in one piece, before the command itself begins: it and all before it are no part of the output. */
	readonly begun?: string;
}

export interface EndedRun extends CommandOutcome {
	/** Whether that was written; absent where nothing was to be. */
	readonly hasBegun?: boolean;
}

/** Runs commands to their end, whatever confines them, and remembers whose processes are theirs. */
export class CommandRuns {
	readonly #clock: Clock;
	readonly #marker: string;
	/** When each leader without a network of its own ended, on the monotonic clock; Infinity while it runs. */
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
		const group = await ProcessGroup.start(
			{
				...prepared,
				onOutput: (chunk) => opening.write(chunk),
				...(contained && { ask: async () => (await signalMarked(mark, "SIGTERM")) > 0 }),
			},
			this.#clock,
		);
		this.#forgetOld();
		if (!contained) {
			this.#open += 1;
			this.#endings.set(group.pid, Number.POSITIVE_INFINITY);
		}
		const cleared = contained ? undefined : group.exited.then(() => killMarked(mark));
		const { timedOut, ...end } = await this.#watch(group, command);
		await cleared;
		if (!contained) this.#endings.set(group.pid, this.#clock.monotonic());
		// Listeners hear the command alone.
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

/** The window, and whoever listens to the command. */
function heardBy(command: Command, output: OutputWindow): Pick<OutputWindow, "write"> {
	if (!command.onOutput) return output;
	return {
		write: (chunk) => {
			output.write(chunk);
			if (chunk.length > 0) command.onOutput?.(chunk);
		},
	};
}
