/** One writer, one reader, and a bound between them. */
export class EventQueue<Item extends object> {
	readonly #limit: number;
	readonly #onEmpty: () => void;
	#items: Item[] = [];
	#ended = false;
	#error: Error | undefined;
	/** Calls of `next` that wait for an item, in their order. While there are any, no item waits. */
	#waiting: PromiseWithResolvers<Item | undefined>[] = [];

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
		if (this.#ended) return;
		const first = this.#waiting.shift();
		if (first) first.resolve(item);
		else this.#items.push(item);
	}

	/** The reader ends now; what it has not taken yet is dropped. */
	end(): void {
		this.#items = [];
		this.#ended = true;
		this.#release();
	}

	/** The reader takes what is there, then throws the error. */
	fail(error: Error): void {
		this.#error ??= error;
		this.#ended = true;
		this.#release();
	}

	/** The next item, once there is one; undefined at the end. Who asks again meanwhile gets the one behind it. */
	next(): Promise<Item | undefined> {
		const item = this.#items.shift();
		if (item) return Promise.resolve(item);
		const waiting = Promise.withResolvers<Item | undefined>();
		this.#waiting.push(waiting);
		if (this.#ended) this.#release();
		else this.#onEmpty();
		return waiting.promise;
	}

	async *read(): AsyncGenerator<Item, void> {
		for (let item = await this.next(); item !== undefined; item = await this.next()) yield item;
	}

	/** Nothing comes any more. */
	#release(): void {
		const waiting = this.#waiting;
		this.#waiting = [];
		for (const { resolve, reject } of waiting) {
			if (this.#error) reject(this.#error);
			else resolve(undefined);
		}
	}
}
