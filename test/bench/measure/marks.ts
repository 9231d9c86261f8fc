interface Awaited {
	readonly mark: string;
	readonly resolve: () => void;
	tail: string;
}

export class Marks {
	#awaited: Awaited[] = [];

	/** Resolves when data that is inspected after the call contains `mark`. */
	until(mark: string): Promise<void> {
		return new Promise((resolve) => this.#awaited.push({ mark, resolve, tail: "" }));
	}

	/** Inspects a chunk together with the end of the previous chunk, because a mark may span two chunks. */
	inspect(chunk: Buffer): void {
		for (const awaited of this.#awaited) {
			const { mark, tail, resolve } = awaited;
			const isMatch =
				chunk.includes(mark) || (tail + chunk.toString("latin1", 0, mark.length)).includes(mark);
			awaited.tail = chunk.toString("latin1", Math.max(0, chunk.length - mark.length));
			if (!isMatch) continue;
			this.#awaited = this.#awaited.filter((other) => other !== awaited);
			resolve();
		}
	}
}
