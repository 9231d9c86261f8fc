import { setImmediate } from "node:timers/promises";
import type { Clock, Logger, Store } from "@parley/base";
import { checkStoredTexts, type TextCheck } from "../../store/check-texts.ts";
import type { Tables } from "../../store/tables.ts";
import { authorize } from "../../vocabulary/authorize.ts";
import type { Principal } from "../../vocabulary/principal.ts";
import { type Audit, type AuditRow, byItself } from "./audit.ts";
import { type AuditAnchor, type AuditCheck, checkAudit, pruneArgs, pruned } from "./audit-check.ts";
import { lastAudit } from "./audit-statements.ts";
import { auditTexts } from "./texts.ts";

/** Filter of audit rows. Times are milliseconds since the epoch. */
export interface AuditFilter {
	/** Earliest time of selected rows. */
	readonly since?: number;
	/** Time before which rows are selected. */
	readonly until?: number;
	readonly principal?: string;
	/** Number after which rows are selected. */
	readonly after?: number;
	readonly limit: number;
}

interface AuditLogDeps {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly log: Logger;
	readonly audit: Audit;
}

/** Milliseconds after which a row is removed. */
const retentionMs = 90 * 24 * 60 * 60 * 1000;
/** Maximum rows that one transaction removes. */
const removedAtOnce = 5_000;
/** Maximum rows to read before other work can run. */
const windowSize = 10_000;

/** Reads and verifies the audit log, and removes expired rows. */
export class AuditLog {
	readonly #deps: AuditLogDeps;
	/** Last anchor that the gateway logged. A check uses the anchor to detect missing rows at the end. */
	#anchor: AuditAnchor | undefined;

	constructor(deps: AuditLogDeps) {
		this.#deps = deps;
	}

	/**
	 * Returns at most `limit` rows that match the filter, oldest first. If `after` is given, returns the first rows after
	 * that row number, otherwise the newest rows.
	 */
	async read(principal: Principal, filter: AuditFilter): Promise<AuditRow[]> {
		authorize(principal, "audit.read");
		const { after, limit } = filter;
		const rows: AuditRow[] = [];
		for (const window of windowsOf((await this.#head())?.seq ?? 0, after)) {
			if (rows.length >= limit) break;
			await setImmediate();
			rows.push(...(await this.#window(window, { ...filter, limit: limit - rows.length })));
		}
		return after === undefined ? rows.reverse() : rows;
	}

	/**
	 * Checks that every row is unchanged and follows the previous row. `noted` contains anchors that the caller read from
	 * log lines.
	 */
	async verify(principal: Principal, noted: readonly AuditAnchor[] = []): Promise<AuditCheck> {
		authorize(principal, "audit.read");
		const own = this.#anchor ? [this.#anchor] : [];
		return checkAudit(this.#deps.store, [...own, ...noted]);
	}

	/** Checks the stored texts of all sessions for changed and missing rows. */
	async verifyTexts(principal: Principal): Promise<TextCheck> {
		authorize(principal, "audit.read");
		return checkStoredTexts(this.#deps.store);
	}

	/** Removes expired rows and logs an anchor. */
	async tidy(): Promise<void> {
		await this.forget();
		await this.anchor();
	}

	/** Logs an anchor, so that a later loss of rows at the end can be detected. */
	async anchor(): Promise<void> {
		this.#anchor = await this.#head();
		if (this.#anchor) this.#deps.log.info(auditTexts.anchor, { ...this.#anchor });
	}

	/** Removes expired rows. A new row records the number and hash of the last removed row. */
	async forget(): Promise<void> {
		for (let removed = await this.#forgetSome(); removed > 0; removed = await this.#forgetSome()) {
			await setImmediate();
		}
	}

	/**
	 * Removes some of the expired rows, and resolves with the number of removed rows. Removes rows only from the beginning,
	 * so that a wrong clock leaves no gap.
	 */
	#forgetSome(): Promise<number> {
		const { store, clock, audit } = this.#deps;
		const before = clock.now() - retentionMs;
		return store.commit(async (tx) => {
			const oldest = await tx
				.selectFrom("audit")
				.select(["seq", "hash", "at"])
				.orderBy("seq")
				.limit(removedAtOnce)
				.execute();
			const firstNewer = oldest.findIndex(({ at }) => Number(at) >= before);
			const removed = firstNewer < 0 ? oldest : oldest.slice(0, firstNewer);
			const last = removed.at(-1);
			if (!last) return 0;
			const seq = Number(last.seq);
			// The removal row is recorded before the deletion, because it contains the hash of the last existing row.
			await audit.record(tx, {
				...byItself,
				action: pruned,
				object: "audit",
				decision: "removed",
				args: pruneArgs({ seq, hash: last.hash }),
			});
			await tx.deleteFrom("audit").where("seq", "<=", seq).execute();
			return removed.length;
		});
	}

	async #head(): Promise<AuditAnchor | undefined> {
		const [last] = await this.#deps.store.read((db) => lastAudit(db, {}));
		return last && { seq: Number(last.seq), hash: last.hash };
	}

	#window({ from, to }: Window, { since, until, principal, after, limit }: AuditFilter): Promise<AuditRow[]> {
		return this.#deps.store.read((db) => {
			let query = db.selectFrom("audit").selectAll().where("seq", ">", from).where("seq", "<=", to);
			if (since !== undefined) query = query.where("at", ">=", since);
			if (until !== undefined) query = query.where("at", "<", until);
			if (principal !== undefined) query = query.where("principal", "=", principal);
			return query
				.orderBy("seq", after === undefined ? "desc" : "asc")
				.limit(limit)
				.execute();
		});
	}
}

/** Range of row numbers that excludes `from` and includes `to`. */
interface Window {
	readonly from: number;
	readonly to: number;
}

/** Yields windows from the last row backwards or, if `after` is given, from that row number forwards. */
function* windowsOf(last: number, after: number | undefined): Generator<Window> {
	if (after === undefined) {
		for (let to = last; to > 0; to -= windowSize) yield { from: to - windowSize, to };
	} else {
		for (let from = after; from < last; from += windowSize) {
			yield { from, to: Math.min(from + windowSize, last) };
		}
	}
}
