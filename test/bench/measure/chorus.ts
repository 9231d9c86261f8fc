import { setImmediate } from "node:timers/promises";

/**
 * Order for the streams. In each of `ticks` ticks, each stream emits `each` texts of `size` characters. In the last
 * tick, each text starts with `mark`.
 */
interface Part {
	readonly ticks: number;
	readonly each: number;
	readonly size: number;
	readonly mark: string;
}

/**
 * Model streams that emit texts in the same ticks. After each `Part` from the parent, the process sends the CPU
 * microseconds of the part's ticks to the parent. Excludes the start and the end of the streams.
 */
export class Chorus {
	#next = Promise.withResolvers<Part | undefined>();

	constructor() {
		process.on("message", (order) => {
			if (order === "stop") this.#next.resolve(undefined);
			else if (isPart(order)) void this.#speak(order).then((cpu) => process.send?.(cpu));
		});
	}

	/** Yields the texts of one stream as events until the parent sends `stop`, and then yields `end`. */
	async *voice<T>(toEvent: (text: string) => T, end: T): AsyncGenerator<T, void> {
		for (;;) {
			const part = await this.#next.promise;
			if (!part) break;
			const { ticks, each, size, mark } = part;
			for (let tick = 1; tick <= ticks; tick++) {
				const text = (tick === ticks ? mark : "").padEnd(size, "x");
				for (let event = 0; event < each; event++) yield toEvent(text);
				// Each stream yields in a separate callback of the event loop, as chunks from separate sockets do.
				await setImmediate();
			}
		}
		yield end;
	}

	async #speak(part: Part): Promise<number> {
		const current = this.#next;
		this.#next = Promise.withResolvers();
		const before = process.cpuUsage();
		current.resolve(part);
		// Waits one tick longer than the streams, so that their last texts are sent.
		for (let tick = 0; tick <= part.ticks; tick++) await setImmediate();
		const { user, system } = process.cpuUsage(before);
		return user + system;
	}
}

function isPart(order: unknown): order is Part {
	return typeof order === "object" && order !== null && "mark" in order;
}
