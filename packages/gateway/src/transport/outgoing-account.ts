/** Maximum total of waiting bytes for all readers. */
const defaultLimit = 256 * 1024 * 1024;

/** Reader whose waiting bytes are counted. */
export interface Holder {
	/**
	 * Drops the waiting bytes, sets the reader's count to 0 before returning, and ends the connection or
	 * stream. The client can reconnect and resume.
	 */
	giveUp(): void;
}

/**
 * Counts the waiting bytes of all slow readers. Above the limit, the readers with the most waiting bytes are closed until
 * the total is within the limit.
 */
export class OutgoingAccount {
	readonly #limit: number;
	readonly #shares = new Map<Holder, number>();
	#total = 0;

	constructor(limit = defaultLimit) {
		this.#limit = limit;
	}

	/** Returns the total of waiting bytes for all slow readers. */
	get total(): number {
		return this.#total;
	}

	/** Sets the waiting bytes of a reader. Pass 0 if the reader has caught up or disconnected. */
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
