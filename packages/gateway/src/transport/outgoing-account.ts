/** What may wait for all readers together. */
const defaultLimit = 256 * 1024 * 1024;

/** Somebody for whom bytes wait. */
export interface Holder {
	/** Gives up what waits: the reader is closed and can resume. Its share has been given back when this returns. */
	giveUp(): void;
}

/**
 * What waits for readers that do not keep up, counted over all of them: above the limit those give up for whom most
 * waits, until it is kept.
 */
export class OutgoingAccount {
	readonly #limit: number;
	readonly #shares = new Map<Holder, number>();
	#total = 0;

	constructor(limit = defaultLimit) {
		this.#limit = limit;
	}

	/** Bytes that wait for all readers that are behind. */
	get total(): number {
		return this.#total;
	}

	/** So many bytes wait for this one; 0 where it has caught up or has gone. */
	set(holder: Holder, bytes: number): void {
		this.#total += bytes - (this.#shares.get(holder) ?? 0);
		if (bytes === 0) this.#shares.delete(holder);
		else this.#shares.set(holder, bytes);
		while (this.#total > this.#limit) this.#largest()?.giveUp();
	}

	#largest(): Holder | undefined {
		let [found, most] = [undefined as Holder | undefined, 0];
		for (const [holder, bytes] of this.#shares) if (bytes > most) [found, most] = [holder, bytes];
		return found;
	}
}
