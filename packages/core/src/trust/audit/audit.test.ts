import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, Redactor, type Store } from "@parley/base";
import { ManualClock, MemoryLogger, openPgliteStore } from "@parley/base/testing";
import { expect, test } from "vitest";
import { migrations } from "../../store/migrations/migrations.ts";
import type { Tables } from "../../store/tables.ts";
import { operator, type Principal } from "../../vocabulary/principal.ts";
import { Audit, type AuditEntry, auditHash, byItself } from "./audit.ts";
import { checkAudit } from "./audit-check.ts";
import { AuditLog } from "./audit-log.ts";

const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-audit-"));
const day = 24 * 60 * 60 * 1000;
let files = 0;

type Engine = "SQLite" | "PostgreSQL";
const engines: readonly Engine[] = ["SQLite", "PostgreSQL"];

function openStore(engine: Engine): Promise<Store<Tables>> {
	if (engine === "PostgreSQL") return openPgliteStore<Tables>({ migrations });
	return openSqliteStore<Tables>({ file: join(directory, String(files++), "a.sqlite"), migrations });
}

async function open(engine: Engine = "SQLite") {
	const store = await openStore(engine);
	const [clock, log, redactor] = [new ManualClock(), new MemoryLogger(), new Redactor()];
	const audit = new Audit({ store, clock, log, redactor });
	const auditLog = new AuditLog({ store, clock, log, audit });
	const note = (object: string, more: Partial<AuditEntry> = {}): Promise<void> =>
		audit.note({ ...byItself, action: "test.note", object, decision: "done", ...more });
	const many = async (count: number): Promise<void> => {
		await Promise.all(Array.from({ length: count }, (_, n) => note(`o${n + 1}`, { args: { n } })));
	};
	const objects = async (filter: object = {}): Promise<string[]> =>
		(await auditLog.read(operator, { limit: 100, ...filter })).map(({ object }) => object);
	return { store, clock, log, redactor, audit, auditLog, note, many, objects };
}

test.each(engines)("rows of one or several commits form one chain on %s", async (engine) => {
	const { store, audit, auditLog, many, note } = await open(engine);
	await many(40);
	await note("alone");
	const failing = store.commit(async (tx) => {
		await audit.record(tx, { ...byItself, action: "test.note", object: "undone", decision: "done" });
		throw new Error("no");
	});
	await Promise.all([expect(failing).rejects.toThrow("no"), note("beside it")]);
	expect(await auditLog.verify(operator)).toMatchObject({ ok: true, records: 42, seq: 42 });
	const rows = await auditLog.read(operator, { limit: 2 });
	expect(rows.map(({ object }) => object)).toEqual(["alone", "beside it"]);
	await store.close();
});

type Db = Parameters<Parameters<Store<Tables>["commit"]>[0]>[0];

const tamperings: readonly (readonly [
	what: string,
	tamper: (db: Db) => Promise<unknown>,
	seq: number,
	reason: RegExp,
])[] = [
	[
		"changed",
		(db) => db.updateTable("audit").set({ decision: "allowed" }).where("seq", "=", 5).execute(),
		5,
		/changed/,
	],
	[
		"changed in its arguments",
		(db) => db.updateTable("audit").set({ args: '{"n":9}' }).where("seq", "=", 5).execute(),
		5,
		/changed/,
	],
	[
		"changed with its link",
		(db) =>
			db
				.updateTable("audit")
				.set({ prev_hash: "0".repeat(64) })
				.where("seq", "=", 5)
				.execute(),
		5,
		/does not follow row 4/,
	],
	["cut out", (db) => db.deleteFrom("audit").where("seq", "=", 5).execute(), 5, /missing/],
	["cut off at the beginning", (db) => db.deleteFrom("audit").where("seq", "<=", 3).execute(), 3, /missing/],
	[
		"renumbered",
		(db) => db.updateTable("audit").set({ seq: 99 }).where("seq", "=", 5).execute(),
		5,
		/missing/,
	],
	["moved", (db) => move(db, [4, 100], [5, 4], [100, 5]), 4, /does not follow row 3/],
	["written anew with a hash that fits", (db) => forge(db, 5), 6, /does not follow row 5/],
];

async function move(db: Db, ...steps: readonly (readonly [from: number, to: number])[]): Promise<void> {
	for (const [from, to] of steps)
		await db.updateTable("audit").set({ seq: to }).where("seq", "=", from).execute();
}

async function forge(db: Db, seq: number): Promise<void> {
	const row = await db.selectFrom("audit").selectAll().where("seq", "=", seq).executeTakeFirstOrThrow();
	const forged = { ...row, principal: "somebody else" };
	await db
		.updateTable("audit")
		.set({ ...forged, hash: auditHash(forged) })
		.where("seq", "=", seq)
		.execute();
}

test.each(engines)("on %s any change of a row is found", async (engine) => {
	const { store, auditLog, many } = await open(engine);
	await many(10);
	for (const [what, tamper, seq, reason] of tamperings) {
		const tampered = store.commit(async (tx) => {
			await tamper(tx);
			const { ok, broken } = await checkAudit({ read: (query) => query(tx) });
			expect({ what, ok, ...broken }).toEqual({
				what,
				ok: false,
				seq,
				reason: expect.stringMatching(reason),
			});
			throw new Error("undo");
		});
		await expect(tampered).rejects.toThrow("undo");
	}
	expect(await auditLog.verify(operator)).toMatchObject({ ok: true, records: 10 });
	await store.close();
});

test("missing rows at the end are detected by the position in the log", async () => {
	const { store, auditLog, many, log } = await open();
	await many(10);
	await auditLog.anchor();
	const [line] = log.records;
	expect(line).toMatchObject({ level: "info", message: "audit anchor", fields: { seq: 10 } });
	await store.commit((tx) => tx.deleteFrom("audit").where("seq", ">", 9).execute());
	expect((await auditLog.verify(operator)).broken).toEqual({
		seq: 10,
		reason: "the row is missing, and later rows may also be missing",
	});
	await store.commit((tx) => tx.deleteFrom("audit").where("seq", ">", 8).execute());
	expect((await auditLog.verify(operator)).broken).toEqual({
		seq: 9,
		reason: "this row and all rows up to at least row 10 are missing",
	});
	// Another process knows the anchors only from the log.
	const { store: _, ...deps } = await open();
	const other = new AuditLog({ store, clock: deps.clock, log: deps.log, audit: deps.audit });
	expect((await other.verify(operator)).ok).toBe(true);
	const noted = [{ seq: 10, hash: String(line?.fields["hash"]) }];
	expect((await other.verify(operator, noted)).broken).toMatchObject({ seq: 9 });
	const wrong = [{ seq: 8, hash: "f".repeat(64) }];
	expect((await other.verify(operator, wrong)).broken).toMatchObject({ seq: 8 });
	await store.close();
});

test.each(engines)(
	"on %s rows older than 90 days are removed, and the other rows stay valid",
	async (engine) => {
		const { store, clock, auditLog, many, note, objects } = await open(engine);
		await many(5);
		clock.advance(60 * day);
		await note("younger");
		await auditLog.tidy();
		expect(await auditLog.read(operator, { limit: 100 })).toHaveLength(6);
		clock.advance(31 * day);
		await auditLog.tidy();
		expect(await objects()).toEqual(["younger", "audit"]);
		expect(await auditLog.verify(operator)).toMatchObject({ ok: true, records: 2, seq: 7 });
		clock.advance(200 * day);
		await auditLog.tidy();
		await auditLog.tidy();
		expect(await auditLog.verify(operator)).toMatchObject({ ok: true, records: 1, seq: 8 });
		await store.close();
	},
);

test("a removal of rows that have not expired is detected", async () => {
	const { store, clock, auditLog, many } = await open();
	await many(5);
	clock.advance(91 * day);
	await many(5);
	await auditLog.forget();
	expect((await auditLog.verify(operator)).ok).toBe(true);
	await store.commit((tx) => tx.deleteFrom("audit").where("seq", "<=", 7).execute());
	expect((await auditLog.verify(operator)).broken).toEqual({
		seq: 7,
		reason: expect.stringContaining("missing"),
	});
	await store.close();
});

test("rows are found by time and principal, and page by page", async () => {
	const { store, clock, auditLog, note, objects } = await open();
	const start = clock.now();
	for (const [object, principal] of [
		["a", "operator"],
		["b", "discord:1:2"],
		["c", "operator"],
		["d", "operator"],
	] as const) {
		await note(object, { principal });
		clock.advance(1000);
	}
	expect(await objects({ limit: 2 })).toEqual(["c", "d"]);
	expect(await objects({ after: 0, limit: 2 })).toEqual(["a", "b"]);
	expect(await objects({ after: 2 })).toEqual(["c", "d"]);
	expect(await objects({ after: 4 })).toEqual([]);
	expect(await objects({ principal: "operator", limit: 2 })).toEqual(["c", "d"]);
	expect(await objects({ since: start + 1000, until: start + 3000 })).toEqual(["b", "c"]);
	const observer: Principal = { id: "observer", kind: "observer" };
	await expect(auditLog.read(observer, { limit: 1 })).rejects.toMatchObject({ code: "permission_denied" });
	await expect(auditLog.verify(observer)).rejects.toMatchObject({ code: "permission_denied" });
	await store.close();
});

test("arguments are stored without secrets and shortened, and their hash covers all of them", async () => {
	const { store, redactor, auditLog, note } = await open();
	redactor.add("correct horse battery");
	await note("a", { args: { text: "correct horse battery", more: "x".repeat(5_000) } });
	await note("b", { args: { text: "correct horse battery", more: "x".repeat(4_999) } });
	await note("c");
	const rows = await auditLog.read(operator, { limit: 3 });
	expect(JSON.stringify(rows)).not.toContain("horse");
	expect(rows.map(({ args }) => (args ?? "").length)).toEqual([expect.any(Number), expect.any(Number), 0]);
	expect(rows[0]?.args?.length).toBeLessThan(2_100);
	expect(rows[0]?.args).toBe(rows[1]?.args);
	expect(rows[0]?.args_sha256).not.toBe(rows[1]?.args_sha256);
	await store.close();
});

test("a frequent action has a row at the beginning, then once a minute, and at the end", async () => {
	const { store, clock, audit, auditLog } = await open();
	const sample = (object: string): void =>
		audit.sample({ ...byItself, action: "auth.fail", object, decision: "refused" });
	const entries = async () =>
		(await auditLog.read(operator, { limit: 200 })).map(({ object, args }) => `${object} ${args}`);
	for (let n = 0; n < 50; n++) sample("one");
	sample("two");
	await store.commit(async () => undefined);
	expect(await entries()).toEqual(['one {"times":1}', 'two {"times":1}']);
	clock.advance(60_000);
	sample("one");
	await audit.stop();
	expect((await entries()).slice(2)).toEqual(['one {"times":49}', 'one {"times":1}']);
	sample("late");
	expect(clock.pending).toBe(0);
	expect(await entries()).toHaveLength(4);
	await store.close();
});

test("invented names add no rows", async () => {
	const { store, audit, auditLog } = await open();
	for (let n = 0; n < 1_000; n++) {
		audit.sample({ ...byItself, action: "auth.fail", object: `peer ${n}`, decision: "refused" });
	}
	await audit.stop();
	const rows = await auditLog.read(operator, { limit: 1000 });
	expect(rows).toHaveLength(102);
	expect(rows.at(-1)).toMatchObject({ principal: "others", object: "others", args: '{"times":899}' });
	await store.close();
});

test("sampled rows name the principal, and one action does not displace the others", async () => {
	const { store, audit, auditLog } = await open();
	const sample = (principal: string, action: string): void =>
		audit.sample({ principal, via: "ozzie", action, object: "o", decision: "denied" });
	for (let n = 0; n < 200; n++) sample(`person ${n}`, "person.identify");
	for (const principal of ["ada", "bob", "ada"]) sample(principal, "request.refuse");
	await audit.stop();
	const entries = async (filter: object) =>
		(await auditLog.read(operator, { limit: 500, ...filter })).map(
			({ principal, action, args }) => `${principal} ${action} ${args}`,
		);
	expect(await entries({ principal: "ada" })).toEqual([
		'ada request.refuse {"times":1}',
		'ada request.refuse {"times":1}',
	]);
	expect(await entries({ principal: "bob" })).toEqual(['bob request.refuse {"times":1}']);
	expect(await entries({})).toHaveLength(105);
	await store.close();
});

test("a large record is read in parts, so that other work continues", async () => {
	const { store, auditLog, many } = await open();
	await many(2_500);
	let turns = 0;
	let done = false;
	const checking = auditLog.verify(operator).finally(() => {
		done = true;
	});
	while (!done) {
		await new Promise(setImmediate);
		turns += 1;
	}
	expect(await checking).toMatchObject({ ok: true, records: 2_500 });
	expect(turns).toBeGreaterThanOrEqual(3);
	await store.close();
});
