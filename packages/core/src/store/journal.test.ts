import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type Store } from "@parley/base";
import { ManualClock, openPgliteStore, seededIds, storeWith } from "@parley/base/testing";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { type EventsOf, Journal } from "./journal.ts";
import { migrations } from "./migrations/migrations.ts";
import type { Tables } from "./tables.ts";

const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-journal-"));

const engines: readonly [string, () => Promise<Store<Tables>>][] = [
	["SQLite", () => openSqliteStore<Tables>({ file: join(directory, "parley.sqlite"), migrations })],
	["PostgreSQL", () => openPgliteStore<Tables>({ migrations })],
];

/** Number of events: more than two windows. Every thousandth event has a rare type, and two sessions alternate. */
const count = 25_000;

async function fill(store: Store<Tables>): Promise<void> {
	const session = (id: string, owner: string) => ({
		id,
		owner,
		external_key: null,
		title: "",
		root_dir: "/",
		status: "active" as const,
		last_seq: 0,
		message_count: 0,
		input_tokens: 0,
		output_tokens: 0,
		created_at: 0,
		updated_at: 0,
		left_at: null,
		profile: "default",
		taint: "",
		epoch: 1,
		v: 1,
	});
	await store.commit(async (tx) => {
		await tx
			.insertInto("sessions")
			.values([session("sess_0", "operator"), session("sess_1", "connector:x")])
			.execute();
		await sql`
			insert into events (id, session_id, seq, type, at, data, epoch, v)
			with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
			select 'evt_' || i, 'sess_' || (i % 2), i, case when i % 1000 = 1 then 'rare' else 'often' end, i, '{}', 1, 1
			from n order by i`.execute(tx);
	});
}

let turn = 0;
let next = setImmediate(tick);
function tick(): void {
	turn++;
	next = setImmediate(tick);
}
afterAll(() => clearImmediate(next));

test.each(engines)("a scan of many events does not block other work on %s", async (_, open) => {
	const store = await open();
	await fill(store);
	const turns = new Set<number>();
	const read: Store<Tables>["read"] = (query) => {
		turns.add(turn);
		return store.read(query);
	};
	const journal = new Journal({
		store: storeWith(store, { read }),
		clock: new ManualClock(),
		ids: seededIds(1),
	});
	const rare = Array.from({ length: 25 }, (_one, index) => index * 1000 + 1);
	const recent = async (limit: number, filter: EventsOf) =>
		(await journal.recent({ ...filter, limit })).map(({ seq }) => seq);
	const after = async (position: number, limit: number, filter: EventsOf) =>
		(await journal.afterPosition(position, { ...filter, limit })).map((placed) => placed.position);

	await expect(recent(100, { types: ["rare"] })).resolves.toEqual(rare);
	expect(turns.size).toBeGreaterThan(2);
	turns.clear();
	await expect(after(0, 100, { types: ["rare"] })).resolves.toEqual(rare);
	expect(turns.size).toBeGreaterThan(2);
	await expect(recent(16, { types: ["rare"] })).resolves.toEqual(rare.slice(-16));
	await expect(after(1, 16, { types: ["rare"] })).resolves.toEqual(rare.slice(1, 17));
	await expect(after(10_000, 2, {})).resolves.toEqual([10_001, 10_002]);
	await expect(recent(2, {})).resolves.toEqual([count - 1, count]);
	const foreignFilter = { of: { owner: "connector:x" }, types: ["rare"] };
	await expect(recent(100, foreignFilter)).resolves.toEqual(rare);
	await expect(recent(100, { of: { owner: "operator" }, types: ["rare"] })).resolves.toEqual([]);
	await expect(after(0, 100, { ...foreignFilter, sessionId: "sess_1" })).resolves.toEqual(rare);
	await expect(after(count, 100, {})).resolves.toEqual([]);
	await store.close();
});
