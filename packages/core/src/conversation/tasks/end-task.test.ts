import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type Store } from "@parley/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrations } from "../../store/migrations/migrations.ts";
import type { Tables } from "../../store/tables.ts";
import { insertTaskRow } from "../../testing/task-row.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import { endTask, type TaskEnd } from "./end-task.ts";
import { findTask } from "./read-tasks.ts";

let directory = "";
let store: Store<Tables>;
let recorded: RecordedEvent[] = [];

beforeEach(async () => {
	directory = await mkdtemp(join(tmpdir(), "parley-end-"));
	store = await openSqliteStore<Tables>({ file: join(directory, "end.sqlite"), migrations });
	recorded = [];
});
afterEach(async () => {
	await store.close();
	await rm(directory, { recursive: true, force: true });
});

type Row = Parameters<typeof insertTaskRow>[1];

async function add(...rows: readonly Row[]): Promise<void> {
	await store.commit(async (tx) => {
		for (const row of rows) await insertTaskRow(tx, row);
	});
}

function end(id: string, ending: TaskEnd, ownTask?: string): Promise<string[]> {
	return store.commit(async (tx) => {
		const row = await findTask(tx, id);
		if (!row) throw new Error(`no task ${id}`);
		const record = async (...events: RecordedEvent[]): Promise<void> => void recorded.push(...events);
		return endTask({ tx, now: 100, record, ...(ownTask !== undefined && { ownTask }) }, row, ending);
	});
}

async function states(): Promise<Record<string, string>> {
	const rows = await store.read((db) => db.selectFrom("tasks").select(["id", "state"]).execute());
	return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
}

const cancelled = { state: "cancelled", reason: "enough" } as const;
const failed = { state: "failed", error: "no luck" } as const;

test("a task ends once: later ends have no effect and no event", async () => {
	await add({ id: "one", state: "running" });
	expect(await end("one", cancelled)).toEqual(["one"]);
	recorded = [];
	expect(await end("one", failed)).toEqual([]);
	expect([await states(), recorded]).toEqual([{ one: "cancelled" }, []]);
});

test("the end of a task that ends its own run includes the event of the worker", async () => {
	await add({ id: "one", state: "running", started_at: 40 });
	await end("one", { state: "completed", output: "it is done" }, "one");
	expect(recorded.map(({ type }) => type)).toEqual([
		...["task.progress", "task.completed", "worker.completed", "worker.exited"],
	]);
	expect(recorded[0]).toMatchObject({ progress: { current: 1, total: 1, percentage: 100 } });
	expect(recorded[1]).toMatchObject({ summary: "it is done", durationMs: 60 });
});

test("an active worker has the rest of its lease to stop, and other tasks are released at once", async () => {
	await add(
		{ id: "held", state: "running", lease_until: 500 },
		{ id: "left", state: "suspended", lease_until: 500 },
	);
	await end("held", cancelled);
	await end("left", cancelled);
	const rows = await store.read((db) => db.selectFrom("tasks").select(["id", "lease_until"]).execute());
	expect(rows).toEqual([
		{ id: "held", lease_until: 500 },
		{ id: "left", lease_until: 0 },
	]);
});

test("a long output is shortened in the event and stored complete", async () => {
	await add({ id: "one", state: "running" });
	const output = "x".repeat(5_000);
	await end("one", { state: "completed", output }, "one");
	const completed = recorded.find((event) => event.type === "task.completed");
	expect(completed).toMatchObject({ summary: `${"x".repeat(2_000)}…` });
	expect((await store.read((db) => findTask(db, "one")))?.output).toBe(output);
});

test("all open workers below a task are cancelled before it, and ended ones stay unchanged", async () => {
	await add(
		{ id: "top", state: "waiting" },
		{ id: "child", state: "suspended", parent_id: "top" },
		{ id: "done", state: "completed", parent_id: "top" },
		{ id: "grandchild", state: "running", parent_id: "child" },
	);
	expect((await end("top", cancelled)).sort()).toEqual(["child", "grandchild", "top"]);
	expect(await states()).toEqual({
		top: "cancelled",
		child: "cancelled",
		grandchild: "cancelled",
		done: "completed",
	});
	expect(recorded.map((event) => ("taskId" in event ? event.taskId : ""))).toEqual([
		"grandchild",
		"child",
		"top",
	]);
});

test("a waiting parent task continues, and a parent in another state is not changed", async () => {
	await add(
		{ id: "waits", state: "waiting", not_before: 9 },
		{ id: "works", state: "running" },
		{ id: "one", state: "running", parent_id: "waits" },
		{ id: "two", state: "running", parent_id: "works" },
	);
	await end("one", failed);
	await end("two", failed);
	expect(await states()).toEqual({ waits: "pending", works: "running", one: "failed", two: "failed" });
	expect((await store.read((db) => findTask(db, "waits")))?.not_before).toBe(0);
});

test.each([
	["failed", failed, "it needs one (title of one), which has failed: no luck"],
	["cancelled", cancelled, "it needs one (title of one), which was cancelled: enough"],
] as const)(
	"tasks that depend on a task that is %s fail with the reason, and so do their dependents",
	async (_how, ending, reason) => {
		await add(
			{ id: "one", state: "running" },
			{ id: "two", needs: ["one"] },
			{ id: "three", needs: ["two"] },
			{ id: "four", needs: ["other"] },
		);
		await end("one", ending);
		expect(await states()).toMatchObject({ two: "failed", three: "failed", four: "pending" });
		const errors = await store.read((db) => db.selectFrom("tasks").select("error").orderBy("id").execute());
		expect(errors.map(({ error }) => error)).toContain(reason);
		expect(errors.map(({ error }) => error)).toContain(
			`it needs two (title of two), which has failed: ${reason}`,
		);
	},
);

test("dependents of a completed task stay unchanged", async () => {
	await add({ id: "one", state: "running" }, { id: "two", needs: ["one"] });
	expect(await end("one", { state: "completed", output: "" }, "one")).toEqual(["one"]);
	expect(await states()).toEqual({ one: "completed", two: "pending" });
});
