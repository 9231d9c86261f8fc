import { sql } from "kysely";
import { expect, test } from "vitest";
import type { Keyed } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../../testing/scripted-model.ts";
import { testConnector } from "../../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { operator } from "../../vocabulary/principal.ts";

const other = testConnector("owner", "somebody");

function keyed(key: string, method: string, params: unknown = {}): Keyed {
	return { principal: operator, key, method, params };
}

interface Column {
	readonly table: string;
	readonly name: string;
	readonly type: string;
}

async function ownedTables(t: TestRuntime): Promise<Map<string, Column[]>> {
	const { rows } = await t.store.read((db) =>
		sql<Column>`select tables.name as "table", columns.name as name, columns.type as type
			from sqlite_schema as tables, pragma_table_info(tables.name) as columns
			where tables.type = 'table' and tables.sql not like 'create virtual%'`.execute(db),
	);
	const byTable = Map.groupBy(rows, ({ table }) => table);
	/** Tables with rows that outlive a session. Notes belong to a person, a channel or all users. */
	const outliving = new Set(["memories"]);
	const naming = /(?:^|_)(?:session_id|run_id|session|run|scope)$/;
	return new Map(
		[...byTable].filter(
			([table, columns]) =>
				table === "sessions" || (!outliving.has(table) && columns.some(({ name }) => naming.test(name))),
		),
	);
}

function rowOf(columns: readonly Column[], session: string, run: string): Record<string, unknown> {
	return Object.fromEntries(
		columns
			.filter(({ table, name }) => name !== "position" && !(table === "search_texts" && name === "id"))
			.map(({ name, type }) => {
				if (name === "session_id" || name === "scope") return [name, session];
				if (name === "run_id") return [name, run];
				return [name, type.toLowerCase() === "text" ? `{"of":"${session}"}` : 1];
			}),
	);
}

async function fill(tx: Tx, tables: ReadonlyMap<string, readonly Column[]>, id: string): Promise<void> {
	const run = `run of ${id}`;
	const exact: Record<string, object> = {
		runs: { id: run, state: "ended" },
		events: { seq: 2 },
		tasks: { state: "completed" },
		// A schedule with an external key would continue in another session.
		schedules: { external_key: null },
	};
	for (const [table, columns] of tables) {
		if (table === "sessions") continue;
		const row = { ...rowOf(columns, id, run), ...exact[table] };
		const names = sql.join(Object.keys(row).map((name) => sql.ref(name)));
		await sql`insert into ${sql.table(table)} (${names}) values (${sql.join(Object.values(row))})`.execute(
			tx,
		);
	}
}

async function countRows(
	t: TestRuntime,
	tables: ReadonlyMap<string, readonly Column[]>,
	id: string,
): Promise<Record<string, number>> {
	const counts: Record<string, number> = {};
	for (const [table, columns] of tables) {
		const occurrences = columns.map(({ name }) => sql`instr(coalesce(${sql.ref(name)}, ''), ${id}) > 0`);
		const where = sql.join(occurrences, sql` or `);
		const query = sql<{ n: number }>`select count(*) as n from ${sql.table(table)} where ${where}`;
		counts[table] = (await t.store.read((db) => query.execute(db))).rows[0]?.n ?? -1;
	}
	return counts;
}

test("no row of a deleted session remains, and all rows of others remain", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const deleted = await t.create();
	const stays = await t.create();
	const tables = await ownedTables(t);
	const names = [...tables.keys()];
	expect(names).toEqual(expect.arrayContaining(["events", "steps", "usage_days", "search_texts"]));
	await t.store.commit(async (tx) => {
		// The two texts complete a group of 64 texts, so SQLite indexes them.
		await sql`insert into sqlite_sequence (name, seq) values ('search_texts', 62)`.execute(tx);
		for (const id of [deleted, stays]) await fill(tx, tables, id);
	});
	const before = await countRows(t, tables, stays);
	expect(Object.values(before).every((count) => count > 0)).toBe(true);
	await t.runtime.remove(unkeyed(), deleted, false);
	expect(await countRows(t, tables, deleted)).toEqual(Object.fromEntries(names.map((name) => [name, 0])));
	expect(await countRows(t, tables, stays)).toEqual(before);
	const index = sql<{ n: number }>`select count(*) as n from search_index where search_index match '"sess_"'`;
	expect((await t.store.read((db) => index.execute(db))).rows).toMatchObject([{ n: 1 }]);
});

test("tasks are deleted with their session, and an open task requires force", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("counted")], stuck("I look")) });
	await t.runtime.start();
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	const requested = { title: "Count", description: "the stars" };
	await t.runtime.tasks.submit(unkeyed(), session, requested);
	await log.next("task.completed");
	const speaking = Promise.withResolvers<void>();
	t.runtime.observe(operator, ({ event }) => event.type === "text.delta" && speaking.resolve());
	const { id } = await t.runtime.tasks.submit(unkeyed(), session, requested);
	await t.runtime.tasks.submit(unkeyed(), session, { ...requested, dependsOn: [id] });
	await speaking.promise;
	await expect(t.runtime.remove(unkeyed(), session, false)).rejects.toThrow("session busy");
	await t.runtime.remove(unkeyed(), session, true);
	await log.next("session.deleted");
	for (const table of ["tasks", "task_needs", "sessions", "runs", "steps", "events"] as const) {
		const rows = await t.store.read((db) => db.selectFrom(table).selectAll().execute());
		expect({ table, rows }).toEqual({ table, rows: [] });
	}
	await expect(t.runtime.tasks.check(operator, id)).rejects.toThrow(`task not found: ${id}`);
	expect(t.log.records.filter(({ level }) => level === "error")).toEqual([]);
});

test("the conversation of a task is unknown when its session was deleted, also if it was read before", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("counted")]) });
	await t.runtime.start();
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	const { id } = await t.runtime.tasks.submit(unkeyed(), session, {
		title: "Count",
		description: "the stars",
	});
	await log.next("task.completed");
	const { ownSessionId } = await t.runtime.tasks.check(operator, id);
	const read = () => t.runtime.history.messages(operator, ownSessionId, { limit: 10 });
	expect(await read()).toHaveLength(2);
	await t.settle();
	await t.runtime.remove(unkeyed(), session, false);
	await expect(read()).rejects.toMatchObject({ code: "not_found" });
});

test("the usage of the session stays in the totals of the gateway", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel([says("hi")]) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "hello");
	await log.next("assistant.message");
	const before = await t.runtime.usage(operator, { by: "day" });
	await t.runtime.remove(unkeyed(), session, false);
	expect((await t.runtime.usage(operator, { by: "day" })).rows).toEqual(before.rows);
	expect(before.rows).toHaveLength(1);
});

test("clients receive an event, and the session is no longer found", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	const logs = [await EventLog.join(t.runtime, session), await EventLog.join(t.runtime, session)];
	const seen: string[] = [];
	t.runtime.observe(operator, ({ event }) => seen.push(event.type));
	await t.runtime.remove(unkeyed(), session, false);
	for (const log of logs) expect(log.events.at(-1)?.event).toEqual({ type: "session.deleted" });
	expect(seen).toEqual(["session.deleted"]);
	const missing = `session not found: ${session}`;
	await expect(t.send(session, "hello")).rejects.toThrow(missing);
	await expect(t.runtime.rename(unkeyed(), session, "x")).rejects.toThrow(missing);
	await expect(EventLog.join(t.runtime, session)).rejects.toThrow(missing);
	await expect(t.runtime.history.newest(operator, { limit: 1, sessionId: session })).rejects.toThrow(missing);
	for (const log of logs) await log.leave();
	expect(await t.runtime.history.newest(operator, { limit: 10 })).toEqual([]);
	expect(t.log.records.filter(({ level }) => level === "error")).toEqual([]);
});

test("a busy session is deleted only with force, which stops it first", async () => {
	const probe = probeTool("probe", { classes: ["write"] });
	const model = new ScriptedModel([calls("c", "probe")], stuck("never ends"));
	await using t = await TestRuntime.open({ model, tools: [probe] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "one");
	await log.next("prompt.requested");
	await t.send(session, "two");
	const refused = t.runtime.remove(unkeyed(), session, false);
	await expect(refused).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringMatching(/^session busy: .*force/),
	});
	expect(await t.runtime.list(operator, { limit: 1 })).toMatchObject([{ id: session, state: "waiting" }]);
	await t.runtime.remove(unkeyed(), session, true);
	const ends = log.events.flatMap(({ event }) => (event.type === "assistant.message" ? [event.error] : []));
	expect(ends).toEqual(["cancelled", "cancelled"]);
	expect(log.events.at(-1)?.event.type).toBe("session.deleted");
	log.check();
	expect(await t.runtime.list(operator, { limit: 1 })).toEqual([]);
	expect(t.log.records.filter(({ level }) => level === "error")).toEqual([]);
});

test("requests in flight at the deletion leave no rows", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	const outcomes = await Promise.allSettled([
		t.runtime.remove(unkeyed(), session, true),
		...Array.from({ length: 20 }, (_, n) => t.send(session, `message ${n}`)),
		t.runtime.setBudget(unkeyed(), { scope: "session", period: "day", limit: 1, sessionId: session }),
		t.runtime.acceptAll(unkeyed(), session),
	]);
	expect(outcomes[0]?.status).toBe("fulfilled");
	await t.settle();
	for (const table of ["sessions", "events", "runs", "steps", "budgets", "grants"] as const) {
		expect(await t.store.read((db) => db.selectFrom(table).selectAll().execute()), table).toEqual([]);
	}
});

test("a simultaneous repeated deletion gets the same response, and a later one finds no session", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	const request = keyed("k", "delete_session", { session });
	await Promise.all([t.runtime.remove(request, session, false), t.runtime.remove(request, session, false)]);
	await t.runtime.remove(request, session, false);
	await expect(t.runtime.remove(keyed("l", "delete_session"), session, true)).rejects.toThrow("not found");
	await expect(
		t.runtime.remove(keyed("k", "delete_session", { force: true }), session, true),
	).rejects.toThrow('key "k" was used for another request: use another key');
});

test("the key that opened a session opens no other one, but its external key does", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const open = keyed("k", "open_session", { external_key: "room" });
	const { id } = await t.runtime.create(open, { externalKey: "room" });
	await t.runtime.remove(unkeyed(), id, false);
	await expect(t.runtime.create(open, { externalKey: "room" })).rejects.toThrow(`session not found: ${id}`);
	const again = await t.runtime.create(unkeyed(), { externalKey: "room" });
	expect(again.status).toBe("created");
	expect(again.id).not.toBe(id);
});

test("a stranger can neither delete a session nor learn that it exists", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	const request = { ...unkeyed(), principal: other };
	await expect(t.runtime.remove(request, session, true)).rejects.toThrow(`session not found: ${session}`);
	expect(await t.runtime.list(operator, { limit: 5 })).toHaveLength(1);
});
