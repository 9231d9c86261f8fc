import { createHash } from "node:crypto";
import type { Clock, Logger, Store, Timer } from "@parley/base";
import canonicalize from "canonicalize";
import type { Selectable } from "kysely";
import type { Tx } from "../../store/journal.ts";
import type { Tables } from "../../store/tables.ts";
import type { TextRedactor } from "../../text/session-redactor.ts";
import { actingId, type Principal } from "../../vocabulary/principal.ts";
import { insertAudit, lastAudit } from "./audit-statements.ts";
import { auditTexts } from "./texts.ts";

/** A decision or an action. Its row contains neither message text nor secrets. */
export interface AuditEntry {
	/** Id of the principal. If a connector acts for a person, the person's id. */
	readonly principal: string;
	/** Wire protocol of the request. Without a request, `cli` for a command or `gateway` for the gateway. */
	readonly via: string;
	/** Name of the action, such as `tool.start` or `grant.create`. */
	readonly action: string;
	/** Object of the action, such as a session, a tool call or a token. */
	readonly object: string;
	/** Decision or result, for example `allowed`, `denied`, `asked` or `expired`. */
	readonly decision: string;
	/**
	 * Arguments of the action. The row contains the first 2,000 characters of the arguments, without secrets, and a hash of
	 * all arguments.
	 */
	readonly args?: unknown;
	readonly grantId?: string | undefined;
}

export type AuditRow = Selectable<Tables["audit"]>;

/** Value of `prev_hash` in row 1. */
export const noHash = "0".repeat(64);

interface AuditDeps {
	readonly store: Store<Tables>;
	readonly clock: Clock;
	readonly log: Logger;
	/** Redactor of secrets, which reports each removed secret. */
	readonly redactor: TextRedactor;
}

/** Maximum characters of arguments in a row. The hash covers all arguments. */
const maxStoredCharacters = 2_000;

/** Audit log. Every row contains the hash of the previous row, so that a changed or missing row can be detected. */
export class Audit {
	readonly #deps: AuditDeps;
	readonly #samples: AuditSamples;

	constructor(deps: AuditDeps) {
		this.#deps = deps;
		this.#samples = new AuditSamples({ ...deps, note: (entry) => this.note(entry) });
		deps.redactor.onHit = (object) =>
			this.sample({ ...byItself, action: "redaction", object, decision: "removed" });
	}

	/** Writes a row in the transaction of its action. The caller may start external effects only after the commit. */
	async record(tx: Tx, entry: AuditEntry): Promise<void> {
		const [last] = await lastAudit(tx, {});
		const row = {
			seq: Number(last?.seq ?? 0) + 1,
			at: this.#deps.clock.now(),
			principal: entry.principal,
			via: entry.via,
			action: entry.action,
			object: entry.object,
			decision: entry.decision,
			...this.#storedArgs(entry.args),
			grant_id: entry.grantId ?? null,
			prev_hash: last?.hash ?? noHash,
			v: 1,
		};
		await insertAudit(tx, { ...row, hash: auditHash(row) });
	}

	/** Writes a row for an action without other changes in the database. */
	async note(entry: AuditEntry): Promise<void> {
		await this.#deps.store.commit((tx) => this.record(tx, entry));
	}

	/**
	 * Counts a frequent action without waiting. Records the first action of a kind (principal, action, object,
	 * decision) immediately, and the number of further actions once a minute. Stores no arguments.
	 */
	sample(entry: Omit<AuditEntry, "args">, times = 1): void {
		this.#samples.add(entry, times);
	}

	/** Records the remaining counts and stops counting. */
	stop(): Promise<void> {
		return this.#samples.stop();
	}

	#storedArgs(args: unknown): Pick<AuditRow, "args" | "args_sha256"> {
		if (args === undefined) return { args: null, args_sha256: null };
		const full = canonicalize(args) ?? "";
		const shown = JSON.stringify(this.#deps.redactor.redactFields(args)) ?? "";
		// Shortened JSON is invalid, so the row contains it as a JSON string.
		const cut =
			shown.length > maxStoredCharacters ? JSON.stringify(`${shown.slice(0, maxStoredCharacters)}…`) : shown;
		return { args: cut, args_sha256: createHash("sha256").update(full).digest("hex") };
	}
}

/** Principal and protocol of actions without a request. */
export const byItself = { principal: "gateway", via: "gateway" } as const;

export function requestedBy(principal: Principal): Pick<AuditEntry, "principal" | "via"> {
	return { principal: actingId(principal), via: principal.via ?? "gateway" };
}

/** Returns the SHA-256 hash of a row's fields in a fixed order. The next row contains this hash. */
export function auditHash(row: Omit<AuditRow, "hash">): string {
	const { seq, at, principal, via, action, object, decision, args_sha256, args, grant_id, prev_hash, v } =
		row;
	const fields = [prev_hash, v, Number(seq), Number(at), principal, via, action, object, decision];
	const text = JSON.stringify([...fields, args_sha256, args, grant_id]);
	return createHash("sha256").update(text).digest("hex");
}

/** Returns the audit object of a tool call: `SESSION/CALL`. Call ids are unique only within a session. */
export function auditedCall(sessionId: string, callId: string): string {
	return `${sessionId}/${callId}`;
}

const periodMs = 60_000;
/** Maximum kinds of an action in a period. Further kinds share a row, so that invented names add no rows. */
const maxKinds = 100;

type Sample = Omit<AuditEntry, "args">;

interface SamplesDeps {
	readonly clock: Clock;
	readonly log: Logger;
	readonly note: (entry: AuditEntry) => Promise<void>;
}

interface Count {
	readonly entry: Sample;
	times: number;
}

/** Writes a row for the first action of a kind, and then one row every minute while actions of that kind continue. */
class AuditSamples {
	readonly #deps: SamplesDeps;
	/** Kinds with a row in the current period, by action. Each kind has the number of its actions since that row. */
	readonly #counts = new Map<string, Map<string, Count>>();
	readonly #writing = new Set<Promise<void>>();
	#timer: Timer | undefined;
	#stopped = false;

	constructor(deps: SamplesDeps) {
		this.#deps = deps;
	}

	add(entry: Sample, times: number): void {
		if (this.#stopped) return;
		const kinds = this.#counts.get(entry.action) ?? new Map<string, Count>();
		const kind = kinds.size < maxKinds || kinds.has(keyOf(entry)) ? entry : rest(entry);
		const known = kinds.get(keyOf(kind));
		if (known) known.times += times;
		else this.#begin(kinds, kind, times);
	}

	async stop(): Promise<void> {
		this.#stopped = true;
		this.#timer?.cancel();
		this.#flush();
		await Promise.all(this.#writing);
	}

	#begin(kinds: Map<string, Count>, entry: Sample, times: number): void {
		this.#counts.set(entry.action, kinds.set(keyOf(entry), { entry, times: 0 }));
		this.#write(entry, times);
		this.#timer ??= this.#deps.clock.after(periodMs, () => this.#flush());
	}

	#flush(): void {
		this.#timer = undefined;
		for (const [action, kinds] of this.#counts) {
			for (const [key, count] of kinds) {
				if (count.times > 0) this.#write(count.entry, count.times);
				else kinds.delete(key);
				count.times = 0;
			}
			if (kinds.size === 0) this.#counts.delete(action);
		}
		if (this.#counts.size > 0 && !this.#stopped) {
			this.#timer = this.#deps.clock.after(periodMs, () => this.#flush());
		}
	}

	#write(entry: Sample, times: number): void {
		const { log, note } = this.#deps;
		const { action } = entry;
		const written = note({ ...entry, args: { times } })
			.catch((error: unknown) => log.error(auditTexts.notWritten, { action, error }))
			.finally(() => this.#writing.delete(written));
		this.#writing.add(written);
	}
}

const others = "others";

function rest(entry: Sample): Sample {
	// The actions may belong to different people, so the shared row names no person.
	return { ...entry, principal: others, object: others };
}

function keyOf({ principal, object, decision }: Sample): string {
	return JSON.stringify([principal, object, decision]);
}
