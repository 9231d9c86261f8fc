import { StringDecoder } from "node:string_decoder";
import { type Clock, defined, type Ids, ParleyError } from "@parley/base";
import type { Command, CommandOutcome } from "../../vocabulary/sandbox.ts";
import { killMarked, ProcessGroup, signalMarked } from "./process-group.ts";
import { commandTexts } from "./texts.ts";

/**
 * Milliseconds for which an ended command is treated as running, because the connections of a command may outlive the
 * command.
 */
const REMEMBERED_MS = 60_000;

/** A command that is ready to start. */
export interface Prepared {
	readonly argv: readonly string[];
	readonly cwd: string;
	readonly environment: Readonly<Record<string, string>>;
	/** Input texts: see `Start`. */
	readonly texts?: readonly (string | Uint8Array)[];
	/** Receives a handle: see `Start`. */
	onHandle?(handle: unknown): void;
	/**
	 * Whether the command has its own namespaces. If so, all its processes end with the command, and the command does
	 * not use the gateway's network.
	 */
	readonly contained: boolean;
	/** Text that is printed in one piece before the command begins. The command's output follows. */
	readonly startMark?: string;
}

export interface EndedRun extends CommandOutcome {
	/** Whether `startMark` was printed. Absent if the command has no `startMark`. */
	readonly hasStarted?: boolean;
}

/** Runner of commands. Records the process id of each command that is not `contained`. */
export class CommandRuns {
	readonly #clock: Clock;
	readonly #marker: string;
	/**
	 * End of each command that is not `contained`, as monotonic time. Infinity while the command is running. Key:
	 * process id.
	 */
	readonly #endings = new Map<number, number>();
	#all = 0;
	#open = 0;
	#hasOpen = false;

	constructor({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }) {
		this.#clock = clock;
		this.#marker = ids.create("commands");
	}

	/** Returns `Sandboxes.marker`. */
	get marker(): string | undefined {
		return this.#hasOpen ? this.#marker : undefined;
	}

	/** Returns `Sandboxes.started`. */
	get started(): number {
		return this.#open;
	}

	/** Returns the result of `Sandboxes.processes`. */
	processes(): readonly number[] {
		this.#deleteExpired();
		return [...this.#endings.keys()];
	}

	/**
	 * Runs a command and resolves when the command has ended. `prepare` receives the mark that the command's processes
	 * must have in their environment. Rejects if the command cannot be started, and with `cancelled` if the command's
	 * signal aborted before the start.
	 */
	async run(command: Command, prepare: (mark: string) => Promise<Prepared>): Promise<EndedRun> {
		this.#all += 1;
		const mark = `${this.#marker}.${this.#all}`;
		const { contained, startMark, ...prepared } = await prepare(mark);
		this.#hasOpen ||= !contained;
		if (command.signal.aborted) throw new ParleyError("cancelled", { code: "cancelled" });
		const output = new OutputWindow(command.maxOutputBytes);
		const opening = new Opening(startMark, outputFor(command, output));
		this.#deleteExpired();
		const group = new ProcessGroup(
			{
				...prepared,
				onOutput: (chunk) => opening.write(chunk),
				...defined({ dialogue: command.dialogue }),
				...defined({ ask: contained ? async () => (await signalMarked(mark, "SIGTERM")) > 0 : undefined }),
			},
			this.#clock,
		);
		const isOpen = !contained && group.pid > 0;
		// Set before any await, so that no other task sees a process that is not counted.
		if (isOpen) {
			this.#open += 1;
			this.#endings.set(group.pid, Number.POSITIVE_INFINITY);
		}
		await group.running;
		const cleared = isOpen ? group.exited.then(() => killMarked(mark)) : undefined;
		// `Promise.all` also handles a rejection of `cleared` while the command is running.
		const [{ timedOut, ...end }] = await Promise.all([this.#watch(group, command), cleared]).finally(() => {
			if (isOpen) this.#endings.set(group.pid, this.#clock.monotonic());
		});
		// If the command never began, the text before the command becomes part of the result's output, but `onOutput`
		// does not receive that text.
		const hasStarted = opening.end(output);
		return {
			...end,
			timedOut,
			output: output.text(),
			...defined({ hasStarted: startMark === undefined ? undefined : hasStarted }),
		};
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

	#deleteExpired(): void {
		const oldest = this.#clock.monotonic() - REMEMBERED_MS;
		for (const [pid, endedAt] of this.#endings) if (endedAt < oldest) this.#endings.delete(pid);
	}
}

interface Output {
	write(chunk: Buffer): void;
}

function outputFor(command: Command, output: OutputWindow): Output {
	if (!command.onOutput) return output;
	return {
		write: (chunk) => {
			output.write(chunk);
			if (chunk.length > 0) command.onOutput?.(chunk);
		},
	};
}

/** Maximum stored bytes of the text before the command. Bubblewrap and the shells print less. */
const MAX_BYTES = 64 * 1024;

/** Forwards the output of a command, without the text that is printed before the command begins. */
class Opening {
	/** Text that is printed before the command begins. If empty, all output belongs to the command. */
	readonly #startMark: Buffer;
	readonly #output: Output;
	#before: Buffer = Buffer.alloc(0);
	#hasStarted: boolean;

	constructor(startMark: string | undefined, output: Output) {
		this.#startMark = Buffer.from(startMark ?? "");
		this.#output = output;
		this.#hasStarted = startMark === undefined;
	}

	write(chunk: Buffer): void {
		if (this.#hasStarted) {
			this.#output.write(chunk);
			return;
		}
		const all = Buffer.concat([this.#before, chunk]);
		const at = all.indexOf(this.#startMark);
		this.#before = at < 0 ? all.subarray(-MAX_BYTES) : Buffer.alloc(0);
		this.#hasStarted = at >= 0;
		if (at >= 0) this.#output.write(all.subarray(at + this.#startMark.length));
	}

	/**
	 * Returns whether the command began. If not, writes to `output` the last `MAX_BYTES` bytes of the text that was
	 * printed.
	 */
	end(output: Output): boolean {
		output.write(this.#before);
		return this.#hasStarted;
	}
}

/** Number of bytes after which further chunks of a stream are only counted. */
const STORED_BYTES = 8 * 1024 * 1024;

/**
 * Window on the first 8 MiB of a stream. Stores the head and the tail as valid UTF-8 without NUL, in at most `maxBytes`
 * bytes. Counts all bytes that are not stored. The used memory is at most `maxBytes` and one chunk.
 */
export class OutputWindow {
	readonly #head: Buffer;
	readonly #tail: Buffer;
	readonly #decoder = new StringDecoder("utf8");
	#headLength = 0;
	/**
	 * Number of bytes that were written to the tail, a ring buffer. The number modulo the length of the ring is the
	 * position in the ring.
	 */
	#tailWritten = 0;
	#received = 0;
	#uncounted = 0;

	constructor(maxBytes: number) {
		const headBytes = Math.ceil(maxBytes / 2);
		this.#head = Buffer.alloc(headBytes);
		this.#tail = Buffer.alloc(Math.max(1, maxBytes - headBytes));
	}

	/** Adds the next chunk. A character may be split between chunks. */
	write(chunk: Buffer): void {
		if (this.#received >= STORED_BYTES) {
			this.#uncounted += chunk.length;
			return;
		}
		this.#received += chunk.length;
		this.#store(this.#decoder.write(chunk));
	}

	/** Returns the stored text, with a marker in place of omitted bytes. Must be called after the end of the stream. */
	text(): string {
		this.#store(this.#decoder.end());
		const head = this.#head.subarray(0, this.#headLength);
		const tail = this.#orderedTail();
		const overwritten = this.#tailWritten - tail.length;
		if (overwritten + this.#uncounted === 0) return Buffer.concat([head, tail]).toString();
		const completeHead = head.subarray(0, lastBoundary(head));
		const completeTail = tail.subarray(firstBoundary(tail));
		const cut = head.length - completeHead.length + tail.length - completeTail.length;
		const marker = commandTexts.leftOut(overwritten + cut + this.#uncounted);
		const newLine = completeHead.at(-1) === 0x0a ? "" : "\n";
		return `${completeHead.toString()}${newLine}${marker}\n${completeTail.toString()}`;
	}

	#store(decoded: string): void {
		const bytes = Buffer.from(decoded.replaceAll("\0", "\u{fffd}"));
		const copied = bytes.copy(this.#head, this.#headLength);
		this.#headLength += copied;
		this.#storeInTail(bytes.subarray(copied));
	}

	#storeInTail(bytes: Buffer): void {
		const ring = this.#tail.length;
		const last = bytes.subarray(Math.max(0, bytes.length - ring));
		const start = (this.#tailWritten + bytes.length - last.length) % ring;
		const fitting = last.copy(this.#tail, start);
		last.copy(this.#tail, 0, fitting);
		this.#tailWritten += bytes.length;
	}

	#orderedTail(): Buffer {
		const ring = this.#tail.length;
		if (this.#tailWritten <= ring) return this.#tail.subarray(0, this.#tailWritten);
		const start = this.#tailWritten % ring;
		return Buffer.concat([this.#tail.subarray(start), this.#tail.subarray(0, start)]);
	}
}

/** Returns the offset after the last complete character. `bytes` is the beginning of a valid UTF-8 text. */
function lastBoundary(bytes: Buffer): number {
	let start = bytes.length - 1;
	while (start > 0 && isContinuation(bytes[start])) start -= 1;
	const lead = bytes[start] ?? 0;
	const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	return start + length <= bytes.length ? bytes.length : Math.max(0, start);
}

/** Returns the offset of the first complete character. `bytes` is the end of a valid UTF-8 text. */
function firstBoundary(bytes: Buffer): number {
	let start = 0;
	while (start < bytes.length && isContinuation(bytes[start])) start += 1;
	return start;
}

function isContinuation(byte: number | undefined): boolean {
	return byte !== undefined && (byte & 0xc0) === 0x80;
}
