/** One writer, one reader, and a bound between them. */
export class EventQueue<Item extends object> {
	readonly #limit: number;
	readonly #onEmpty: () => void;
	#items: Item[] = [];
	#ended = false;
	#error: Error | undefined;
	#wake: (() => void) | undefined;

	/** `onEmpty` is called each time the reader has taken everything and starts to wait. */
	constructor(limit: number, onEmpty: () => void = () => {}) {
		this.#limit = limit;
		this.#onEmpty = onEmpty;
	}

	get isFull(): boolean {
		return this.#items.length >= this.#limit;
	}

	/** To be called only while the queue is not full. */
	push(item: Item): void {
		if (!this.#ended) this.#items.push(item);
		this.#wake?.();
	}

	/** The reader ends now; what it has not taken yet is dropped. */
	end(): void {
		this.#items = [];
		this.#ended = true;
		this.#wake?.();
	}

	/** The reader takes what is there, then throws the error. */
	fail(error: Error): void {
		this.#error ??= error;
		this.#ended = true;
		this.#wake?.();
	}

	/** The next item, once there is one; undefined at the end. One may be waited for at a time. */
	async next(): Promise<Item | undefined> {
		for (;;) {
			const item = this.#items.shift();
			if (item) return item;
			if (this.#ended) {
				if (this.#error) throw this.#error;
				return undefined;
			}
			this.#onEmpty();
			await new Promise<void>((resolve) => {
				this.#wake = resolve;
			});
		}
	}

	async *read(): AsyncGenerator<Item, void> {
		for (let item = await this.next(); item !== undefined; item = await this.next()) yield item;
	}
}
