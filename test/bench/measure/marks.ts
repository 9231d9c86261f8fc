interface Awaited {
	readonly mark: string;
	readonly resolve: () => void;
	tail: string;
}

/** Looks for marks in bytes as they come: the least that can be done with what a server says. */
export class Marks {
	#awaited: Awaited[] = [];

	/** Resolves when the text has come, in whatever frame or line. */
	until(mark: string): Promise<void> {
		return new Promise((resolve) => this.#awaited.push({ mark, resolve, tail: "" }));
	}

	/** A mark may lie across two chunks: the end of the last one is looked at again. */
	look(chunk: Buffer): void {
		for (const awaited of this.#awaited) {
			const { mark, tail, resolve } = awaited;
			const found = chunk.includes(mark) || (tail + chunk.toString("latin1", 0, mark.length)).includes(mark);
			awaited.tail = chunk.toString("latin1", Math.max(0, chunk.length - mark.length));
			if (!found) continue;
			this.#awaited = this.#awaited.filter((other) => other !== awaited);
			resolve();
		}
	}
}
