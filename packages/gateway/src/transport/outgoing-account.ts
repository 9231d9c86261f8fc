/** Maximum waiting bytes of all readers together. */
const defaultLimit = 256 * 1024 * 1024;

/** Reader with waiting bytes. */
export interface Holder {
	/** Drops the waiting bytes: the reader is closed and can resume. Its share has been released when this returns. */
	giveUp(): void;
}

/**
 * Waiting bytes of all slow readers. Above the limit, the readers with the most waiting bytes are given up until the total
 * is below it.
 */
export class OutgoingAccount {
	readonly #limit: number;
	readonly #shares = new Map<Holder, number>();
	#total = 0;

	constructor(limit = defaultLimit) {
		this.#limit = limit;
	}

	/** Waiting bytes of all slow readers. */
	get total(): number {
		return this.#total;
	}

	/** Sets the waiting bytes of this reader. 0 if it has caught up or disconnected. */
	set(holder: Holder, bytes: number): void {
		this.#total += bytes - (this.#shares.get(holder) ?? 0);
		if (bytes === 0) this.#shares.delete(holder);
		else this.#shares.set(holder, bytes);
		while (this.#total > this.#limit) this.#largest()?.giveUp();
	}

	#largest(): Holder | undefined {
		let [found, max] = [undefined as Holder | undefined, 0];
		for (const [holder, bytes] of this.#shares) if (bytes > max) [found, max] = [holder, bytes];
		return found;
	}
}
