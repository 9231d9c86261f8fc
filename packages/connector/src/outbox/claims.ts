import type { OpenRow } from "./open-row.ts";
import type { Attempt, Content } from "./statements.ts";

interface Claim {
	/** State of the row before the attempt. */
	readonly row: OpenRow;
	/** Content of the row; undefined until the row is attempted. */
	readonly content?: Content;
	readonly ended: PromiseWithResolvers<void>;
}

/**
 * Returns the transition of a row to `attempted`. A planned row starts a new attempt. For any other row, the request
 * repeats the last attempt.
 */
export function attemptOf({ id, state, attempts, sentAt, reason }: OpenRow, now: number): Attempt {
	const first = { attempts: attempts + 1, sentAt: now };
	const counted = state === "planned" ? first : { attempts, sentAt };
	return { id, from: state, to: "attempted", ...counted, reason, remote: null, now };
}

/**
 * Rows that are marked as attempted in the transaction that plans them. This saves a commit. A claimed row is busy.
 * After the commit, call `begin`; after a failure, call `giveUp`.
 */
export class Claims {
	readonly #busy: Map<string, Promise<void>>;
	/** Whether a row can be sent now. */
	readonly #isReady: (row: OpenRow) => boolean;
	readonly #claims = new Map<string, Claim>();

	constructor(busy: Map<string, Promise<void>>, isReady: (row: OpenRow) => boolean) {
		this.#busy = busy;
		this.#isReady = isReady;
	}

	/**
	 * Claims an unblocked row if the row is ready. Returns whether the row was claimed. The caller then attempts or
	 * drops the claimed row.
	 */
	claim(row: OpenRow): boolean {
		if (!this.#isReady(row)) return false;
		const ended = Promise.withResolvers<void>();
		this.#claims.set(row.id, { row, ended });
		this.#busy.set(row.id, ended.promise);
		return true;
	}

	/** Notes that the transaction attempts a claimed row. `row` is the state before the attempt. */
	attempt(row: OpenRow, content: Content): void {
		const claim = this.#claims.get(row.id);
		if (claim) this.#claims.set(row.id, { ...claim, row, content });
	}

	/** Releases a claimed row without an attempt. */
	drop({ id }: OpenRow): void {
		const claim = this.#claims.get(id);
		if (claim === undefined) return;
		this.#claims.delete(id);
		this.#busy.delete(id);
		claim.ended.resolve();
	}

	/** Sends the claimed rows after the commit. At its end, `send` must remove the row from the busy rows. */
	begin(send: (row: OpenRow, content: Content) => Promise<void>): void {
		for (const { row, content, ended } of this.#claims.values()) {
			if (content !== undefined) ended.resolve(send(row, content));
		}
	}

	/** Releases all claims, for example after a failed transaction. */
	giveUp(): void {
		for (const { row } of [...this.#claims.values()]) this.drop(row);
	}
}
