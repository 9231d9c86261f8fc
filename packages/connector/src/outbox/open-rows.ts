import { type Clock, delay, type Logger, type Store } from "@parley/base";
import type { Kysely } from "kysely";
import type { ConnectorTables } from "../store/tables.ts";
import { type OpenRow, unblocked } from "./open-row.ts";
import { type Attempt, attemptRow, type Content, readOpenOf, type Step, settleRow } from "./statements.ts";

/** After the database refused, it is asked again. */
export const storeWaitMs = 1000;

type Tx = Kysely<ConnectorTables>;

/** What is not settled, as the commands that came earlier in a transaction leave it. */
export interface Draft {
	of(conversation: string): readonly OpenRow[];
	/** What this command makes of it. */
	set(conversation: string, rows: readonly OpenRow[]): void;
}

interface OpenRowsParts {
	readonly store: Store<ConnectorTables>;
	readonly clock: Clock;
	readonly log: Logger;
	/** That it is time to stop. */
	readonly signal: AbortSignal;
}

/** What is not settled, by conversation, as the last commit left it: what changes follows the order of the commits. */
export class OpenRows {
	readonly #parts: OpenRowsParts;
	readonly #rows: Map<string, readonly OpenRow[]>;
	/** Where that is not the same: what commands have made of it whose transaction is not over, and in which run of theirs. */
	readonly #drafts = new Map<string, { readonly rows: readonly OpenRow[]; readonly run: number }>();

	constructor(parts: OpenRowsParts, rows: readonly OpenRow[]) {
		this.#parts = parts;
		this.#rows = Map.groupBy(rows, ({ conversation }) => conversation);
	}

	of(conversation: string): readonly OpenRow[] {
		return this.#rows.get(conversation) ?? [];
	}

	/** The rows that no earlier one of their conversation keeps waiting. */
	*unblocked(): Generator<OpenRow> {
		for (const rows of this.#rows.values()) yield* unblocked(rows);
	}

	/** `Store.commit` for a command that changes rows, and says in its draft what it has made of them. */
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
		/** Those that come later in the transaction find what was there before. */
		const undo = (): void => {
			for (const [conversation, rows] of before) {
				// Where the transaction is run again, an earlier command may have done this already, and its own work.
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
		// No other transaction begins before all who wait for this one were told.
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

	/** Changes rows of a conversation, in whatever way. */
	change<T>(conversation: string, command: (tx: Tx) => Promise<T>): Promise<T> {
		return this.commit(async (tx, draft) => {
			const result = await command(tx);
			draft.set(conversation, await readOpenOf(tx, conversation));
			return result;
		});
	}

	/** Lets a row be sent; undefined where it is not in that state any more. */
	attempt(row: OpenRow, step: Attempt): Promise<Content | undefined> {
		return this.#move(row, step, attemptRow);
	}

	/**
	 * Lets a row make a step that is known to be made: that is not forgotten because the disk is full, but written as soon
	 * as that works.
	 */
	async persist(row: OpenRow, step: Step): Promise<void> {
		const { clock, log, signal } = this.#parts;
		for (;;) {
			try {
				await this.#move(row, step, (tx, made) => settleRow(tx, made, row.card));
				return;
			} catch (error) {
				const { conversation } = row;
				log.warn("what was posted cannot be written down yet", { conversation, error });
				if (signal.aborted) return;
			}
			// That it is time to stop shows in the signal.
			await delay(clock, storeWaitMs, signal).catch(() => undefined);
		}
	}

	#move<S extends Step, T>(row: OpenRow, step: S, command: (tx: Tx, step: S) => Promise<T>): Promise<T> {
		const { conversation, card } = row;
		// What has a card may change what others do with it.
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

function movedOn(rows: readonly OpenRow[], step: Step | Attempt): OpenRow[] {
	const { id, to, attempts, reason } = step;
	return rows.flatMap((row) => {
		if (row.id !== id) return [row];
		const sentAt = "sentAt" in step ? step.sentAt : row.sentAt;
		return to === "confirmed" || to === "dead" ? [] : [{ ...row, state: to, attempts, sentAt, reason }];
	});
}
