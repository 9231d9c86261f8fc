import { type Clock, delay, type Logger, type Store } from "@parley/base";
import type { Kysely } from "kysely";
import type { ConnectorTables } from "../store/tables.ts";
import { type OpenRow, unblocked } from "./open-row.ts";
import {
	type Attempt,
	attemptRow,
	type Content,
	type DeliveryTransition,
	readOpenOf,
	settleRow,
} from "./statements.ts";

/** Wait in milliseconds before the next attempt after a failure of the database. */
export const storeWaitMs = 1000;

type Tx = Kysely<ConnectorTables>;

/** Unsettled rows, with the changes of earlier commands in the same transaction. */
export interface Draft {
	of(conversation: string): readonly OpenRow[];
	/** Sets the unsettled rows after this command. */
	set(conversation: string, rows: readonly OpenRow[]): void;
}

interface OpenRowsParts {
	readonly store: Store<ConnectorTables>;
	readonly clock: Clock;
	readonly log: Logger;
	/** Signal that aborts when the outbox stops. */
	readonly signal: AbortSignal;
}

/** Unsettled rows by conversation, as of the last commit. Changes follow the order of the commits. */
export class OpenRows {
	readonly #parts: OpenRowsParts;
	readonly #rows: Map<string, readonly OpenRow[]>;
	/**
	 * Rows that running transactions have changed, by conversation. `run` is the number of the execution that set
	 * the rows, because the store may execute a command several times.
	 */
	readonly #drafts = new Map<string, { readonly rows: readonly OpenRow[]; readonly run: number }>();

	constructor(parts: OpenRowsParts, rows: readonly OpenRow[]) {
		this.#parts = parts;
		this.#rows = Map.groupBy(rows, ({ conversation }) => conversation);
	}

	of(conversation: string): readonly OpenRow[] {
		return this.#rows.get(conversation) ?? [];
	}

	/** Yields the rows that can be sent, as `unblocked` defines them. */
	*unblocked(): Generator<OpenRow> {
		for (const rows of this.#rows.values()) yield* unblocked(rows);
	}

	/**
	 * Runs a command that changes rows, in a transaction of the store, and resolves with its result. The command sets
	 * the new rows in its draft.
	 */
	commit<T>(command: (tx: Tx, draft: Draft) => Promise<T>): Promise<T> {
		const before = new Map<string, readonly OpenRow[]>();
		const after = new Map<string, readonly OpenRow[]>();
		const touched = new Set<string>();
		let run = 0;
		const of = (conversation: string) => this.#drafts.get(conversation)?.rows ?? this.of(conversation);
		const set = (conversation: string, rows: readonly OpenRow[]): void => {
			if (!before.has(conversation)) before.set(conversation, of(conversation));
			touched.add(conversation);
			after.set(conversation, rows);
			this.#drafts.set(conversation, { rows, run });
		};
		/** Restores the earlier rows for later commands of the transaction. */
		const undo = (): void => {
			for (const [conversation, rows] of before) {
				// In a retried transaction, an earlier command may already have restored the rows of this
				// conversation and changed them again.
				if ((this.#drafts.get(conversation)?.run ?? 0) <= run) this.#drafts.set(conversation, { rows, run });
			}
			before.clear();
			after.clear();
		};
		const committed = this.#parts.store.commit(async (tx) => {
			undo();
			run += 1;
			try {
				return await command(tx, { of, set });
			} catch (error) {
				undo();
				throw error;
			}
		});
		// The order is safe: the next transaction begins only after all callers of this transaction have their results.
		return committed.then(
			(result) => {
				for (const [conversation, rows] of after) this.#committed(conversation, rows);
				return result;
			},
			(error: unknown) => {
				for (const conversation of touched) this.#drafts.delete(conversation);
				throw error;
			},
		);
	}

	/**
	 * Runs a command that changes rows of a conversation. Reads the conversation's unsettled rows again in the same
	 * transaction.
	 */
	change<T>(conversation: string, command: (tx: Tx) => Promise<T>): Promise<T> {
		return this.commit(async (tx, draft) => {
			const result = await command(tx);
			draft.set(conversation, await readOpenOf(tx, conversation));
			return result;
		});
	}

	/**
	 * Moves a row to `attempted` and resolves with its content; undefined if the row is no longer in the expected state.
	 */
	attempt(row: OpenRow, step: Attempt): Promise<Content | undefined> {
		return this.#move(row, step, attemptRow);
	}

	/**
	 * Stores a step, which may have already happened on the platform. After a failure of the database, retries until the
	 * connector stops.
	 */
	async persist(row: OpenRow, step: DeliveryTransition): Promise<void> {
		const { clock, log, signal } = this.#parts;
		for (;;) {
			try {
				await this.#move(row, step, (tx, stored) => settleRow(tx, stored, row.card));
				return;
			} catch (error) {
				const { conversation } = row;
				log.warn("cannot save the results of posts, retrying", { conversation, error });
				if (signal.aborted) return;
			}
			// An abort only ends the wait. The next attempt is then the last.
			await delay(clock, storeWaitMs, signal).catch(() => undefined);
		}
	}

	#move<S extends DeliveryTransition, T>(
		row: OpenRow,
		step: S,
		command: (tx: Tx, step: S) => Promise<T>,
	): Promise<T> {
		const { conversation, card } = row;
		// A change of a row with a card may affect other rows, so all rows of the conversation are read again.
		if (card !== null) return this.change(conversation, (tx) => command(tx, step));
		return this.commit(async (tx, draft) => {
			const moved = await command(tx, step);
			if (moved) draft.set(conversation, movedOn(draft.of(conversation), step));
			return moved;
		});
	}

	#committed(conversation: string, rows: readonly OpenRow[]): void {
		if (this.#drafts.get(conversation)?.rows === rows) this.#drafts.delete(conversation);
		if (rows.length > 0) this.#rows.set(conversation, rows);
		else this.#rows.delete(conversation);
	}
}

function movedOn(rows: readonly OpenRow[], step: DeliveryTransition | Attempt): OpenRow[] {
	const { id, to, attempts, reason } = step;
	return rows.flatMap((row) => {
		if (row.id !== id) return [row];
		const sentAt = "sentAt" in step ? step.sentAt : row.sentAt;
		return to === "confirmed" || to === "dead" ? [] : [{ ...row, state: to, attempts, sentAt, reason }];
	});
}
