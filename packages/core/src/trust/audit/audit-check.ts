import { setImmediate } from "node:timers/promises";
import { defined, type Store } from "@parley/base";
import { fromRow } from "../../store/journal.ts";
import type { Tables } from "../../store/tables.ts";
import { type AuditRow, auditHash, noHash } from "./audit.ts";
import { auditTexts } from "./texts.ts";

/** Number and hash of a row, recorded outside the database. The gateway logs an anchor every day. */
export interface AuditAnchor {
	readonly seq: number;
	readonly hash: string;
}

export interface AuditCheck {
	readonly ok: boolean;
	readonly records: number;
	/** Number and hash of the last valid row. In an empty audit log, 0 and 64 zeros. */
	readonly seq: number;
	readonly head: string;
	readonly broken?: { readonly seq: number; readonly reason: string };
}

/** Action of an audit row that records the removal of earlier rows. */
export const pruned = "audit.prune";

/** Rows to check before the check yields to other work. */
const pageSize = 1_000;

/**
 * Checks the audit log from the first row to the last. Reports the first changed, missing, moved or added
 * row. Detects missing rows at the end only if an anchor has a higher number than the last row.
 */
export async function checkAudit(
	store: Pick<Store<Tables>, "read">,
	anchors: readonly AuditAnchor[] = [],
): Promise<AuditCheck> {
	const walk = new Walk(anchors);
	for (;;) {
		const page = await store.read((db) =>
			db.selectFrom("audit").selectAll().where("seq", ">", walk.seq).orderBy("seq").limit(pageSize).execute(),
		);
		const broken = page.map((row) => walk.step(row)).find((reason) => reason !== undefined);
		if (broken) return walk.result(broken);
		if (page.length < pageSize) return walk.result(walk.end());
		await setImmediate();
	}
}

type Broken = NonNullable<AuditCheck["broken"]>;

class Walk {
	seq = 0;
	readonly #anchors: ReadonlyMap<number, string>;
	readonly #lastAnchor: number;
	#head = noHash;
	#records = 0;
	/**
	 * If earlier rows are missing, the position before the first row. Undefined again after a later row has confirmed the
	 * removal of the missing rows.
	 */
	#start: AuditAnchor | undefined;
	#broken: Broken | undefined;

	constructor(anchors: readonly AuditAnchor[]) {
		this.#anchors = new Map(anchors.map(({ seq, hash }) => [seq, hash]));
		this.#lastAnchor = Math.max(0, ...anchors.map(({ seq }) => seq));
	}

	/** Checks the next row. Returns the first fault so far, or undefined. After a fault, checks no further rows. */
	step(row: AuditRow): Broken | undefined {
		if (this.#broken) return this.#broken;
		const seq = Number(row.seq);
		if (this.#records === 0 && seq > 1) this.#start = { seq: seq - 1, hash: row.prev_hash };
		else this.#broken = this.#follows(row, seq);
		if (!this.#broken && auditHash(row) !== row.hash) this.#broken = { seq, reason: auditTexts.changed };
		const noted = this.#anchors.get(seq);
		if (!this.#broken && noted !== undefined && noted !== row.hash) {
			this.#broken = { seq, reason: auditTexts.otherRow };
		}
		if (this.#broken) return this.#broken;
		if (this.#start && row.action === pruned && recordsStart(row, this.#start)) this.#start = undefined;
		[this.seq, this.#head] = [seq, row.hash];
		this.#records += 1;
		return undefined;
	}

	end(): Broken | undefined {
		if (this.#start) {
			return {
				seq: this.#start.seq,
				reason: auditTexts.missingBefore(this.#start.seq),
			};
		}
		if (this.#lastAnchor > this.seq) {
			const seq = this.seq + 1;
			return { seq, reason: auditTexts.missing(seq, this.#lastAnchor) };
		}
		return undefined;
	}

	result(broken: Broken | undefined): AuditCheck {
		return {
			ok: broken === undefined,
			records: this.#records,
			seq: this.seq,
			head: this.#head,
			...defined({ broken }),
		};
	}

	#follows(row: AuditRow, seq: number): Broken | undefined {
		if (seq !== this.seq + 1) return { seq: this.seq + 1, reason: auditTexts.rowMissing };
		if (row.prev_hash === this.#head) return undefined;
		return { seq, reason: seq === 1 ? auditTexts.notFirst : auditTexts.notAfter(seq - 1) };
	}
}

/** Returns the arguments of a removal row: the number and the hash of the last removed row. */
export function pruneArgs({ seq, hash }: AuditAnchor): object {
	return { through: seq, hash };
}

function recordsStart({ args }: AuditRow, start: AuditAnchor): boolean {
	return args !== null && JSON.stringify(fromRow(args)) === JSON.stringify(pruneArgs(start));
}
