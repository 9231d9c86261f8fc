import type { OpenRow } from "./open-row.ts";
import type { Attempt, Content } from "./statements.ts";

interface Claim {
	/** As it was before. */
	readonly row: OpenRow;
	/** Undefined until it is attempted. */
	readonly content?: Content;
	readonly ended: PromiseWithResolvers<void>;
}

/** The step of a row that is going to be sent: for the first time since it is known not to be posted, or once more. */
export function attemptOf({ id, state, attempts, sentAt, reason }: OpenRow, now: number): Attempt {
	const first = { attempts: attempts + 1, sentAt: now };
	const counted = state === "planned" ? first : { attempts, sentAt };
	return { id, from: state, to: "attempted", ...counted, reason, remote: null, now };
}

/**
 * What can be sent at once is attempted already in the transaction that plans it: one less to wait for. It is busy from
 * then on; one of `begin` and `giveUp` is to be called when the transaction has ended.
 */
export class Claims {
	readonly #busy: Map<string, Promise<void>>;
	readonly #isReady: (row: OpenRow) => boolean;
	readonly #claims = new Map<string, Claim>();

	/** `isReady` tells whether a row may be sent this very moment. */
	constructor(busy: Map<string, Promise<void>>, isReady: (row: OpenRow) => boolean) {
		this.#busy = busy;
		this.#isReady = isReady;
	}

	/** Claims a row that no other keeps waiting, where it is ready; it is then to be attempted, or dropped. */
	take(row: OpenRow): boolean {
		if (!this.#isReady(row)) return false;
		const ended = Promise.withResolvers<void>();
		this.#claims.set(row.id, { row, ended });
		this.#busy.set(row.id, ended.promise);
		return true;
	}

	/** The transaction attempts a row that was claimed: `row` is as it was before. */
	attempt(row: OpenRow, content: Content): void {
		const claim = this.#claims.get(row.id);
		if (claim) this.#claims.set(row.id, { ...claim, row, content });
	}

	/** A row that was claimed is not attempted after all. */
	drop({ id }: OpenRow): void {
		const claim = this.#claims.get(id);
		if (claim === undefined) return;
		this.#claims.delete(id);
		this.#busy.delete(id);
		claim.ended.resolve();
	}

	/** The transaction is durable: `send` takes what was claimed out of the busy ones when it ends. */
	begin(send: (row: OpenRow, content: Content) => Promise<void>): void {
		for (const { row, content, ended } of this.#claims.values()) {
			if (content !== undefined) ended.resolve(send(row, content));
		}
	}

	/** Nothing of the transaction remains. */
	giveUp(): void {
		for (const { row } of [...this.#claims.values()]) this.drop(row);
	}
}
