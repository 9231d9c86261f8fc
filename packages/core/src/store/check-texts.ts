import { setImmediate } from "node:timers/promises";
import { hotStatement, type Store } from "@parley/base";
import type { Selectable } from "kysely";
import { ExpectedRows, type ExpectedRun } from "./expected-rows.ts";
import type { Tables } from "./tables.ts";
import { eventHash, noTextHash, runHash, steerHash, stepHash, summaryHash } from "./text-hash.ts";
import { textFaultTexts } from "./texts.ts";

/** A fault in the rows of a session: a changed, moved or deleted row, or a missing hash. */
export interface TextFault {
	readonly sessionId: string;
	/** Name of the row, for example `event 12` or `step 3 of run_…`. */
	readonly row: string;
	readonly reason: string;
}

/** Result of a check of the stored text of all sessions. */
export interface TextCheck {
	readonly ok: boolean;
	/** Number of checked sessions. `allSessions`: number of all sessions. */
	readonly sessions: number;
	readonly allSessions: number;
	/** Number of rows with a matching hash. */
	readonly verified: number;
	/** Number of rows that have no hash and need no hash, because a version without hashes wrote them. */
	readonly unverified: number;
	readonly faults: number;
	/** The first faults, at most 10. */
	readonly examples: readonly TextFault[];
}

interface CheckOptions {
	/** Receives the number of checked sessions after each session. */
	readonly onProgress?: (checked: number, all: number) => void;
	/** Stops the check early. The check then resolves with the results for the sessions that it has checked. */
	readonly signal?: AbortSignal;
}

const maxExamples = 10;
/** Maximum rows that a query reads. Each row may contain a message of one megabyte. */
const pageSize = 32;
/** Rows to hash before the check yields to other work. */
const rowsPerTurn = 500;

/**
 * Checks the stored rows of all sessions against their hashes: events, steps, messages and summaries. Reports rows that
 * were altered, moved or deleted, and counts rows without a hash. Other processes may write and delete sessions during
 * the check. Decision 060 lists the changes that the check does not detect.
 */
export async function checkStoredTexts(
	store: { readonly read: Store<Tables>["read"] },
	{ onProgress, signal }: CheckOptions = {},
): Promise<TextCheck> {
	const read: Read = (query) => store.read(query);
	const tally = new Tally();
	const [count] = await read((db) => countSessions(db, {}));
	const all = Number(count?.count ?? 0);
	let sessions = 0;
	let turn = rowsPerTurn;
	for (let after = ""; !signal?.aborted; ) {
		const page = await read((db) => nextSessions(db, { after }));
		for (const session of page) {
			if (signal?.aborted) break;
			tally.add(await checkSession(session, read));
			sessions += 1;
			onProgress?.(sessions, Math.max(all, sessions));
			if (tally.rows < turn) continue;
			turn = tally.rows + rowsPerTurn;
			await setImmediate();
		}
		const last = page.at(-1);
		if (!last) break;
		after = last.id;
	}
	const { verified, unverified, faults, examples } = tally;
	const allSessions = Math.max(all, sessions);
	return { ok: faults === 0, sessions, allSessions, verified, unverified, faults, examples };
}

/**
 * Checks one session and resolves with the result. The result has no faults if the session is deleted during the check.
 */
async function checkSession(session: SessionRow, read: Read): Promise<Tally> {
	const tally = new Tally();
	await new SessionCheck(session, read, tally).run();
	if (tally.faults === 0) return tally;
	const [there] = await read((db) => findSession(db, session));
	return there ? tally : new Tally();
}

type SessionRow = Rows<"sessions", "id" | "last_seq" | "hashed_from">;

class Tally {
	verified = 0;
	unverified = 0;
	faults = 0;
	readonly examples: TextFault[] = [];

	get rows(): number {
		return this.verified + this.unverified + this.faults;
	}

	fault(fault: TextFault): void {
		this.faults += 1;
		if (this.examples.length < maxExamples) this.examples.push(fault);
	}

	add({ verified, unverified, faults, examples }: Tally): void {
		this.verified += verified;
		this.unverified += unverified;
		this.faults += faults;
		this.examples.push(...examples.slice(0, maxExamples - this.examples.length));
	}
}

interface Numbered {
	readonly n: number;
	readonly row: string;
	readonly stored: string | null;
	readonly computed: string;
}

/**
 * Check of rows of one kind. The rows are numbered without gaps. If a row has a hash or must have a hash, all later
 * rows must have a hash.
 */
class Series {
	readonly #sessionId: string;
	readonly #tally: Tally;
	#next: number;
	#isHashed: boolean;

	constructor(sessionId: string, tally: Tally, { first, isHashed }: { first: number; isHashed: boolean }) {
		this.#sessionId = sessionId;
		this.#tally = tally;
		this.#next = first;
		this.#isHashed = isHashed;
	}

	follows(n: number): boolean {
		return n === this.#next;
	}

	requireHash(): void {
		this.#isHashed = true;
	}

	check({ n, row, stored, computed }: Numbered): void {
		if (!this.follows(n)) this.fault(row, textFaultTexts.gap);
		this.#next = n + 1;
		if (stored === null && !this.#isHashed) this.#tally.unverified += 1;
		else if (stored === null) this.fault(row, textFaultTexts.noHash);
		else if (stored !== computed) this.fault(row, textFaultTexts.altered);
		else this.#tally.verified += 1;
		this.#isHashed ||= stored !== null;
	}

	/** Reports a fault if the last checked row has a number below `last`: the rows at the end are then missing. */
	end(last: number, row: string): void {
		if (this.#next <= last) this.fault(row, textFaultTexts.missing);
	}

	fault(row: string, reason: string): void {
		this.#tally.fault({ sessionId: this.#sessionId, row, reason });
	}
}

type Read = Store<Tables>["read"];

type RowCounts = Record<"replies" | "results" | "steered", number>;

const kindIn = /^\{"kind":"(\w+)"/;
const countedAs: Readonly<Record<string, keyof RowCounts>> = {
	reply: "replies",
	spent: "replies",
	result: "results",
	steered: "steered",
};

class SessionCheck {
	readonly #id: string;
	/** Last `seq` from the row of the session. More events may have been recorded after the row was read. */
	readonly #lastSeq: number;
	readonly #hashedFrom: number;
	readonly #expected: ExpectedRows;
	readonly #read: Read;
	readonly #tally: Tally;

	constructor(session: SessionRow, read: Read, tally: Tally) {
		this.#id = session.id;
		this.#lastSeq = Number(session.last_seq);
		this.#hashedFrom = Number(session.hashed_from);
		this.#expected = new ExpectedRows(this.#hashedFrom);
		this.#read = read;
		this.#tally = tally;
	}

	/** Checks all rows of the session. Reads the events first: the rows that the events require are stored by then. */
	async run(): Promise<void> {
		await this.#events();
		await this.#runs();
		await this.#summaries();
	}

	#series(first: number, isHashed: boolean): Series {
		return new Series(this.#id, this.#tally, { first, isHashed });
	}

	async #events(): Promise<void> {
		const series = this.#series(1, false);
		let previous = noTextHash;
		for (let after = 0; ; ) {
			const page = await this.#read((db) => nextEvents(db, { sessionId: this.#id, after }));
			for (const { id, type, data, hash, ...row } of page) {
				const [seq, at] = [Number(row.seq), Number(row.at)];
				const event = { id, sessionId: this.#id, seq, type, at, data };
				// After a gap, the hash of the previous event is unknown, so the hash of the event after the gap is not
				// checked. The gap itself is reported.
				const computed = series.follows(seq) ? eventHash(previous, event) : (hash ?? noTextHash);
				if (seq >= this.#hashedFrom) series.requireHash();
				series.check({ n: seq, row: textFaultTexts.event(seq), stored: hash, computed });
				this.#expected.add(event);
				previous = hash ?? noTextHash;
				after = seq;
			}
			if (page.length < pageSize) break;
		}
		series.end(this.#lastSeq, textFaultTexts.event(this.#lastSeq));
	}

	async #runs(): Promise<void> {
		const series = this.#series(1, this.#hashedFrom === 1);
		const missing = new Map(this.#expected.runs);
		for (let after = 0; ; ) {
			const page = await this.#read((db) => nextRuns(db, { sessionId: this.#id, after }));
			for (const { id, content, actor, hash, ...row } of page) {
				const ordinal = Number(row.ordinal);
				const computed = runHash({ id, sessionId: this.#id, ordinal, content, actor });
				const expected = this.#expected.runs.get(id);
				// A run without a message event usually started after the events were read.
				const isHashed = expected === undefined || expected.seq >= this.#hashedFrom;
				if (isHashed) series.requireHash();
				series.check({ n: ordinal, row: textFaultTexts.message(id), stored: hash, computed });
				await this.#rowsOf(id, isHashed || hash !== null, expected);
				missing.delete(id);
				after = ordinal;
			}
			if (page.length < pageSize) break;
		}
		for (const [id, { seq }] of missing) {
			if (seq >= this.#hashedFrom) series.fault(textFaultTexts.message(id), textFaultTexts.missing);
		}
	}

	async #rowsOf(runId: string, isHashed: boolean, expected: ExpectedRun | undefined): Promise<void> {
		// Waiting messages are counted before steps, because a waiting message becomes a step.
		const waiting = await this.#steers(runId);
		const counts: RowCounts = { replies: 0, results: 0, steered: waiting };
		const series = this.#series(0, isHashed);
		let last = "";
		for (let after = -1; ; ) {
			const page = await this.#read((db) => nextSteps(db, { runId, after }));
			for (const { n, data, hash } of page) {
				const computed = stepHash({ runId, n, data });
				series.check({ n, row: textFaultTexts.step(n, runId), stored: hash, computed });
				last = kindIn.exec(data)?.[1] ?? "";
				const counted = countedAs[last];
				if (counted && hash !== null) counts[counted] += 1;
				after = n;
			}
			if (page.length < pageSize) break;
		}
		if (!expected) return;
		const lacks = Object.entries(counts).some(([kind, count]) => count < expected[kind as keyof RowCounts]);
		if (lacks || (expected.isEnded && last !== "ended")) {
			series.fault(textFaultTexts.lastStep(runId), textFaultTexts.missingForEvent);
		}
	}

	/**
	 * Checks the waiting messages of a run and resolves with the number of messages. Does not check the ordinals for
	 * gaps, because the run removes messages when it includes them in a model call.
	 */
	async #steers(runId: string): Promise<number> {
		const steers = await this.#read((db) => steersOf(db, { runId }));
		for (const steer of steers) {
			const { id, ordinal, hash } = steer;
			const series = this.#series(ordinal, this.#hashedFrom === 1);
			const computed = steerHash({ ...steer, runId });
			series.check({ n: ordinal, row: textFaultTexts.waitingMessage(id), stored: hash, computed });
		}
		return steers.length;
	}

	async #summaries(): Promise<void> {
		const series = this.#series(1, this.#hashedFrom === 1);
		const rows = await this.#read((db) => summariesOf(db, { sessionId: this.#id }));
		for (const { n, summary, hash } of rows) {
			const computed = summaryHash({ sessionId: this.#id, n, summary });
			series.check({ n, row: textFaultTexts.summary(n), stored: hash, computed });
		}
		if (rows.filter(({ hash }) => hash !== null).length < this.#expected.compactions) {
			series.fault(textFaultTexts.lastSummary, textFaultTexts.missingForEvent);
		}
	}
}

type Rows<T extends keyof Tables, K extends keyof Selectable<Tables[T]>> = Pick<Selectable<Tables[T]>, K>;

const countSessions = hotStatement<Tables, object, { count: number }>((db) =>
	db.selectFrom("sessions").select((eb) => eb.fn.countAll<number>().as("count")),
);

const nextSessions = hotStatement<Tables, { after: string }, SessionRow>((db, p) =>
	db
		.selectFrom("sessions")
		.select(["id", "last_seq", "hashed_from"])
		.where("id", ">", p("after"))
		.orderBy("id")
		.limit(pageSize),
);

const findSession = hotStatement<Tables, { id: string }, Rows<"sessions", "id">>((db, p) =>
	db.selectFrom("sessions").select("id").where("id", "=", p("id")),
);

const nextEvents = hotStatement<
	Tables,
	{ sessionId: string; after: number },
	Rows<"events", "id" | "seq" | "type" | "at" | "data" | "hash">
>((db, p) =>
	db
		.selectFrom("events")
		.select(["id", "seq", "type", "at", "data", "hash"])
		.where("session_id", "=", p("sessionId"))
		.where("seq", ">", p("after"))
		.orderBy("seq")
		.limit(pageSize),
);

const nextRuns = hotStatement<
	Tables,
	{ sessionId: string; after: number },
	Rows<"runs", "id" | "ordinal" | "content" | "actor" | "hash">
>((db, p) =>
	db
		.selectFrom("runs")
		.select(["id", "ordinal", "content", "actor", "hash"])
		.where("session_id", "=", p("sessionId"))
		.where("ordinal", ">", p("after"))
		.orderBy("ordinal")
		.limit(pageSize),
);

const nextSteps = hotStatement<
	Tables,
	{ runId: string; after: number },
	Rows<"steps", "n" | "data" | "hash">
>((db, p) =>
	db
		.selectFrom("steps")
		.select(["n", "data", "hash"])
		.where("run_id", "=", p("runId"))
		.where("n", ">", p("after"))
		.orderBy("n")
		.limit(pageSize),
);

/** Returns all waiting messages of a run in one query, because the number of waiting messages of a run is limited. */
const steersOf = hotStatement<
	Tables,
	{ runId: string },
	Rows<"steers", "id" | "ordinal" | "content" | "actor" | "hash">
>((db, p) =>
	db
		.selectFrom("steers")
		.select(["id", "ordinal", "content", "actor", "hash"])
		.where("run_id", "=", p("runId")),
);

const summariesOf = hotStatement<
	Tables,
	{ sessionId: string },
	Rows<"compactions", "n" | "summary" | "hash">
>((db, p) =>
	db
		.selectFrom("compactions")
		.select(["n", "summary", "hash"])
		.where("session_id", "=", p("sessionId"))
		.orderBy("n"),
);
