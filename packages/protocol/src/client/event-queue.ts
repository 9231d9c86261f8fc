interface Waiting<Item> {
	resolve(item: Item | undefined): void;
	reject(error: Error): void;
}

/** Bounded queue with one writer and one reader. */
export class EventQueue<Item extends object> {
	readonly #limit: number;
	readonly #onEmpty: () => void;
	#items: Item[] = [];
	#ended = false;
	#error: Error | undefined;
	/** Waiting calls of `next`, in the order of the calls. Contains calls only while the queue has no items. */
	#waiting: Waiting<Item>[] = [];

	/**
	 * Creates a queue for at most `limit` items. `onEmpty` is called each time the reader starts to wait for an
	 * item.
	 */
	constructor(limit: number, onEmpty: () => void = () => {}) {
		this.#limit = limit;
		this.#onEmpty = onEmpty;
	}

	get isFull(): boolean {
		return this.#items.length >= this.#limit;
	}

	/** Adds an item. Must be called only while the queue is not full. */
	push(item: Item): void {
		if (this.#ended) return;
		const first = this.#waiting.shift();
		if (first) first.resolve(item);
		else this.#items.push(item);
	}

	/** Ends the queue, and drops the items that were not read. */
	end(): void {
		this.#items = [];
		this.#ended = true;
		this.#release();
	}

	/** Ends the queue with an error. The reader receives the unread items before the error. */
	fail(error: Error): void {
		this.#error ??= error;
		this.#ended = true;
		this.#release();
	}

	/**
	 * Resolves with the next item when it arrives, or with undefined after the end of the queue. After `fail`, rejects
	 * when the queue has no items. Concurrent calls receive consecutive items.
	 */
	next(): Promise<Item | undefined> {
		const item = this.#items.shift();
		if (item) return Promise.resolve(item);
		return new Promise((resolve, reject) => {
			this.#waiting.push({ resolve, reject });
			if (this.#ended) this.#release();
			else this.#onEmpty();
		});
	}

	async *read(): AsyncGenerator<Item, void> {
		for (let item = await this.next(); item !== undefined; item = await this.next()) yield item;
	}

	/** Settles all waiting calls, because no further item can arrive. */
	#release(): void {
		const waiting = this.#waiting;
		this.#waiting = [];
		for (const { resolve, reject } of waiting) {
			if (this.#error) reject(this.#error);
			else resolve(undefined);
		}
	}
}
