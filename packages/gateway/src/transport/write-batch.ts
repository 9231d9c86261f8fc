/** Something that has written to give away at the end of the tick. */
export interface Flushable {
	flush(): void;
}

/** Collects who wrote in this tick, so that each socket gets one write for all of it. */
export class WriteBatch {
	#dirty: Flushable[] = [];

	add(writer: Flushable): void {
		if (this.#dirty.push(writer) > 1) return;
		// Runs when the promises of this tick have settled, before anything new is read.
		process.nextTick(() => {
			const dirty = this.#dirty;
			this.#dirty = [];
			for (const each of dirty) each.flush();
		});
	}
}
