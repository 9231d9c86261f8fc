import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type Store } from "@parley/base";
import { openPgliteStore, paced } from "@parley/base/testing";
import { type Kysely, sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { checkStoredTexts, type TextCheck } from "./check-texts.ts";
import { addHashedFrom } from "./migrations/added-tables.ts";
import { freshSchema } from "./migrations/fresh-schema.ts";
import { migrations } from "./migrations/migrations.ts";
import type { Tables } from "./tables.ts";

const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-check-texts-"));
afterAll(() => rm(directory, { recursive: true }));

const hashed = ["events", "steps", "runs", "steers", "compactions"];

const engines: readonly [string, () => Promise<Store<Tables>>][] = [
	[
		"SQLite",
		() => openSqliteStore<Tables>({ file: join(directory, "a.sqlite"), migrations, fresh: freshSchema }),
	],
	["PostgreSQL", () => openPgliteStore<Tables>({ migrations })],
];

async function filled(database: Store<Tables>): Promise<TestRuntime> {
	const t = await TestRuntime.open({
		database,
		model: new ScriptedModel(
			...[[says("hello Ada")], [calls("c1", "list_directory", { path: "." })], [says("nothing is there")]],
			...[[says("They said hello.")], stuck("let me think")],
		),
	});
	await t.runtime.start();
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	for (const text of ["hello \ud800 \u{1f600}", "list the files"]) {
		await t.send(session, text);
		await log.next("assistant.message");
	}
	await t.runtime.compact(unkeyed(), session, { signal: new AbortController().signal });
	await t.send(session, "think about it");
	await t.settle();
	await t.runtime.steer(unkeyed(), session, { content: "be brief" });
	await log.leave();
	return t;
}

async function checkAfter(
	store: Store<Tables>,
	change: (tx: Kysely<Tables>) => Promise<unknown>,
): Promise<TextCheck> {
	const undo = new Error("undo");
	let check: TextCheck | undefined;
	const changed = store.commit(async (tx) => {
		await change(tx);
		check = await checkStoredTexts({ read: (query) => query(tx) });
		throw undo;
	});
	await expect(changed).rejects.toBe(undo);
	if (!check) throw new Error("the check did not end");
	return check;
}

const execute = (statement: string) => (tx: Kysely<Tables>) => sql.raw(statement).execute(tx);

/** Returns an SQL condition for the last `count` steps of the run with the ordinal `ordinal`. */
function lastOf(ordinal: string, count: number): string {
	const run = `(select id from runs where ordinal = ${ordinal})`;
	return `run_id = ${run} and n > (select max(n) - ${count} from steps where run_id = ${run})`;
}

const alterations: readonly [name: string, statement: string, row: RegExp, reason: RegExp][] = [
	[
		"a message in an event",
		"update events set data = replace(data, 'Ada', 'Eve') where data like '%hello Ada%' and type = 'assistant.message'",
		/^event \d+$/,
		/does not match/,
	],
	["the time of an event", "update events set at = at + 1 where seq = 3", /^event 3$/, /does not match/],
	[
		"an event without its hash",
		"update events set hash = null where seq = 3",
		/^event 3$/,
		/hash is missing/,
	],
	["a removed event", "delete from events where seq = 3", /^event 4$/, /the row before it is missing/],
	[
		"a removed last event",
		"delete from events where seq = (select last_seq from sessions)",
		/^event \d+$/,
		/it is missing/,
	],
	[
		"a reply that the model reads",
		"update steps set data = replace(data, 'Ada', 'Eve')",
		/^step \d of run_/,
		/does not match/,
	],
	[
		"the result of a call",
		'update steps set data = replace(data, \'"text":"\', \'"text":"x\') where data like \'%"result"%\'',
		/^step \d of run_/,
		/does not match/,
	],
	[
		"a removed step",
		"delete from steps where n = 1 and run_id = (select id from runs where ordinal = 2)",
		/^step 2 of run_/,
		/missing/,
	],
	[
		"a message as the model reads it",
		"update runs set content = 'list all files' where ordinal = 2",
		/^message of run_/,
		/does not match/,
	],
	[
		"a message without its hash",
		"update runs set hash = null where ordinal = 1",
		/^message of run_/,
		/hash is missing/,
	],
	[
		"the first event without its hash",
		"update events set hash = null where seq = 1",
		/^event 1$/,
		/hash is missing/,
	],
	[
		"a removed last message",
		"delete from runs where ordinal = (select max(ordinal) from runs)",
		/^message of run_/,
		/it is missing/,
	],
	[
		"a removed last step of an ended run",
		`delete from steps where ${lastOf("2", 1)}`,
		/^last step of run_/,
		/it is missing, although an event refers to it/,
	],
	[
		"removed last steps of an ended run, down to a call",
		`delete from steps where ${lastOf("2", 4)}`,
		/^last step of run_/,
		/it is missing/,
	],
	[
		"all steps of an ended run",
		"delete from steps where run_id = (select id from runs where ordinal = 1)",
		/^last step of run_/,
		/it is missing/,
	],
	["a removed summary", "delete from compactions", /^last summary$/, /it is missing/],
	["a removed waiting message", "delete from steers", /^last step of run_/, /it is missing/],
	["a waiting message", "update steers set content = 'be long'", /^waiting message steer_/, /does not match/],
	["a summary", "update compactions set summary = summary || '!'", /^summary 1$/, /does not match/],
];

test.each(engines)(
	"each altered text is found on %s, and no other text",
	async (_engine, open) => {
		await using t = await filled(await open());
		const { store } = t;
		const progress: string[] = [];
		const complete = await checkStoredTexts(store, {
			onProgress: (checked, all) => progress.push(`${checked}/${all}`),
		});
		expect(complete).toMatchObject({ ok: true, sessions: 1, unverified: 0, faults: 0, examples: [] });
		expect(complete.verified).toBeGreaterThan(20);
		expect(progress).toEqual(["1/1"]);
		expect(await checkStoredTexts(store, { signal: AbortSignal.abort() })).toMatchObject({
			ok: true,
			sessions: 0,
			allSessions: 1,
			verified: 0,
		});
		for (const [name, statement, row, reason] of alterations) {
			const { ok, faults, examples } = await checkAfter(store, execute(statement));
			expect({ ok, examples }, name).toMatchObject({
				ok: false,
				examples: expect.arrayContaining([
					{
						sessionId: expect.stringMatching(/^sess_/),
						row: expect.stringMatching(row),
						reason: expect.stringMatching(reason),
					},
				]),
			});
			// Each alteration causes at most two faults, because the hashes of later rows still match.
			expect(faults, name).toBeLessThanOrEqual(2);
		}
		const all = await checkAfter(store, execute("update events set data = data || ' '"));
		expect(all.faults).toBeGreaterThan(10);
		expect(all.examples).toHaveLength(10);
	},
	paced(60_000),
);

test("deleted hashes are found in all rows, and no row counts as unverified", async () => {
	await using t = await filled(
		await openSqliteStore<Tables>({
			file: join(directory, "cleared.sqlite"),
			migrations,
			fresh: freshSchema,
		}),
	);
	const { verified } = await checkStoredTexts(t.store);
	const cleared = await checkAfter(t.store, async (tx) => {
		for (const table of hashed) await execute(`update ${table} set hash = null`)(tx);
	});
	expect(cleared).toMatchObject({ ok: false, verified: 0, unverified: 0 });
	expect(cleared.faults).toBeGreaterThanOrEqual(verified);
});

test("a cancelled message of the queue is not an error", async () => {
	await using t = await filled(
		await openSqliteStore<Tables>({ file: join(directory, "queued.sqlite"), migrations, fresh: freshSchema }),
	);
	const [{ id = "" } = {}] = await t.store.read((db) => db.selectFrom("sessions").select("id").execute());
	await t.send(id, "and then this");
	await t.runtime.cancel(unkeyed(), id, { queued: true });
	await t.settle();
	const withoutSteps = sql<{ ordinal: number }>`select ordinal from runs where not exists
		(select 1 from steps where run_id = runs.id)`;
	const { rows } = await t.store.read((db) => withoutSteps.execute(db));
	expect(rows).toEqual([{ ordinal: 4 }]);
	expect(await checkStoredTexts(t.store)).toMatchObject({ ok: true, unverified: 0 });
});

test("rows without hashes are reported as unverified, and later rows are verified", async () => {
	const t = await filled(
		await openSqliteStore<Tables>({ file: join(directory, "old.sqlite"), migrations, fresh: freshSchema }),
	);
	await using _ = t;
	for (const table of hashed) await t.store.commit(execute(`update ${table} set hash = null`));
	// The statement restores the schema from before the migration. Then the migration runs again.
	await t.store.commit(execute("alter table sessions drop column hashed_from"));
	await t.store.commit((tx) => {
		// Migrations have no table types.
		return addHashedFrom(tx as unknown as Kysely<unknown>);
	});
	const [session = ""] = (await t.store.read((db) => db.selectFrom("sessions").select("id").execute())).map(
		({ id }) => id,
	);
	const before = await checkStoredTexts(t.store);
	expect(before).toMatchObject({ ok: true, verified: 0 });
	expect(before.unverified).toBeGreaterThan(20);
	await t.runtime.cancel(unkeyed(), session);
	await t.settle();
	const after = await checkStoredTexts(t.store);
	expect(after).toMatchObject({ ok: true, unverified: expect.any(Number) });
	expect(after.verified).toBeGreaterThan(0);
	const all = await checkAfter(t.store, execute("update events set hash = null"));
	expect(all.faults).toBeGreaterThan(0);
	const last = "(select max(seq) from events)";
	const broken = await checkAfter(
		t.store,
		execute(`update events set data = data || ' ' where seq = ${last}`),
	);
	expect(broken).toMatchObject({ ok: false, faults: 1 });
	const without = await checkAfter(t.store, execute(`update events set hash = null where seq = ${last}`));
	expect(without.faults).toBe(1);
	// When the migration runs, the session has some rows with a hash and some rows without a hash.
	await t.store.commit(execute("alter table sessions drop column hashed_from"));
	await t.store.commit((tx) => addHashedFrom(tx as unknown as Kysely<unknown>));
	const migrated = await checkAfter(t.store, execute("update events set hash = null"));
	expect(migrated.faults).toBe(all.faults);
});

test("a result without a hash does not replace a deleted one of the same run", async () => {
	const act = (name: string) => probeTool(name, { classes: ["write"] });
	await using t = await TestRuntime.open({
		database: await openSqliteStore<Tables>({
			file: join(directory, "both.sqlite"),
			migrations,
			fresh: freshSchema,
		}),
		model: new ScriptedModel([calls("c1", "first"), calls("c2", "second")], stuck("well")),
		tools: [act("first"), act("second")],
	});
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "go");
	const first = await log.next("prompt.requested");
	const second = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), first.prompt.token, { value: true });
	await log.next("tool.completed");
	for (const table of hashed) await t.store.commit(execute(`update ${table} set hash = null`));
	await t.store.commit(execute("alter table sessions drop column hashed_from"));
	// Migrations have no table types.
	await t.store.commit((tx) => addHashedFrom(tx as unknown as Kysely<unknown>));
	await t.runtime.answer(unkeyed(), second.prompt.token, { value: true });
	await log.next("tool.completed");
	await t.settle();
	expect(await checkStoredTexts(t.store)).toMatchObject({ ok: true });
	const last = `n >= (select max(n) from steps where data like '{"kind":"result"%')`;
	const { examples } = await checkAfter(t.store, execute(`delete from steps where ${last}`));
	expect(examples).toMatchObject([{ row: expect.stringMatching(/^last step of run_/) }]);
});

test("a session that is deleted during the check is not an error", async () => {
	await using t = await filled(
		await openSqliteStore<Tables>({
			file: join(directory, "deleted.sqlite"),
			migrations,
			fresh: freshSchema,
		}),
	);
	let reads = 0;
	const read: Store<Tables>["read"] = async (query) => {
		reads += 1;
		if (reads === 3) {
			await t.store.commit(async (tx) => {
				for (const table of ["sessions", "events", "runs", "steps"] as const)
					await tx.deleteFrom(table).execute();
			});
		}
		return t.store.read(query);
	};
	expect(await checkStoredTexts({ read })).toMatchObject({ ok: true, faults: 0 });
	expect(reads).toBeGreaterThan(3);
});
