/** Bytes and messages that may wait for one slow client. */
export interface ReaderBudget {
	readonly bytes: number;
	readonly frames: number;
}

export const readerBudget: ReaderBudget = { bytes: 8 * 1024 * 1024, frames: 10_000 };

/** Milliseconds for which a client may exceed its budget. */
export const readerPatienceMs = 5_000;
