import { setImmediate } from "node:timers/promises";

/** What all voices say next: in every tick of the event loop each so many texts, in the last tick so many marks. */
interface Part {
	readonly ticks: number;
	readonly each: number;
	readonly size: number;
	readonly mark: string;
}

/**
 * Model streams that speak in the same ticks, part by part, for as long as the process lives: what is measured is
 * what becomes of their texts, not how they begin and end. Orders come from the parent: `{ticks, each, size, mark}` is
 * answered with the microseconds of CPU that the process took for the part.
 */
export class Chorus {
	#next = Promise.withResolvers<Part | undefined>();

	constructor() {
		process.on("message", (order) => {
			if (order === "stop") this.#next.resolve(undefined);
			else if (isPart(order)) void this.#speak(order).then((cpu) => process.send?.(cpu));
		});
	}

	/** One voice, until the process stops: its texts as whoever listens wants them, and at last what stands for the end. */
	async *voice<T>(toEvent: (text: string) => T, end: T): AsyncGenerator<T, void> {
		for (;;) {
			const part = await this.#next.promise;
			if (!part) break;
			const { ticks, each, size, mark } = part;
			for (let tick = 1; tick <= ticks; tick++) {
				const text = (tick === ticks ? mark : "").padEnd(size, "x");
				for (let event = 0; event < each; event++) yield toEvent(text);
				// Each voice in a turn of its own, as the chunks of a model's reply come from its own socket.
				await setImmediate();
			}
		}
		yield end;
	}

	async #speak(part: Part): Promise<number> {
		const begun = this.#next;
		this.#next = Promise.withResolvers();
		const before = process.cpuUsage();
		begun.resolve(part);
		// One more than the voices take: what they said last has left by then.
		for (let tick = 0; tick <= part.ticks; tick++) await setImmediate();
		const { user, system } = process.cpuUsage(before);
		return user + system;
	}
}

function isPart(order: unknown): order is Part {
	return typeof order === "object" && order !== null && "mark" in order;
}
