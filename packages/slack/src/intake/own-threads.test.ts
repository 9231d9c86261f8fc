import { openSqlite } from "@parley/connector/testing";
import { expect, test } from "vitest";
import { ownThreads, postedThreads } from "./own-threads.ts";

test("recent top-level posts may start threads, newest first, each once", async () => {
	const store = await openSqlite();
	const rows = [
		{ conversation: "T1/C1", remote: "C1-1.1", changed_at: 5 },
		{ conversation: "T1/C1", remote: "C1-2.2", changed_at: 20 },
		{ conversation: "T1/D1#task:1", remote: "D1-3.3", changed_at: 20 },
		{ conversation: "T1/C1", remote: "C1-2.2", changed_at: 21 },
		{ conversation: "T1/C1/9.9", remote: "C1-4.4", changed_at: 20 },
		{ conversation: "T1/C1", remote: "C1-5.5", changed_at: 20, payload: '{"type":"post","thread":"card"}' },
		{ conversation: "T1/C1", remote: null, changed_at: 20 },
		{ conversation: "private:1", remote: "1.2.abc", changed_at: 20 },
	];
	const values = rows.map((row, seq) => ({
		id: String(seq),
		session: "s",
		seq,
		lane: "final",
		card: null,
		payload: "{}",
		at: 1,
		state: "confirmed" as const,
		attempts: 1,
		reason: null,
		...row,
	}));
	await store.commit((tx) => tx.insertInto("outbox").values(values).execute());
	expect(await postedThreads(store, 10)).toEqual([
		{ channel: "C1", thread: "2.2" },
		{ channel: "D1", thread: "3.3" },
	]);
	await store.close();
});

test("a thread with a session of the gateway is known although the database has no message and no post of it", async () => {
	const store = await openSqlite();
	const cursor = { seq: 3, state: "{}", changed_at: 1 };
	await store.commit((tx) =>
		tx
			.insertInto("cursors")
			.values([
				{ ...cursor, session: "s1", conversation: "T1/C1/1700000000.000100", external_key: "slack:T1:C1:1" },
				{ ...cursor, session: "notice:1", conversation: "T1/C1/1700000000.000200", external_key: null },
			])
			.execute(),
	);
	const threads = ownThreads(store);
	const at = { tenant: "T1", channel: "C1" };
	expect(await threads.thread({ ...at, ts: "1700000000.000100" })).toEqual({ ours: true, root: false });
	expect(await threads.thread({ ...at, ts: "1700000000.000200" })).toEqual({ ours: false, root: false });
	await store.close();
});
