import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore, type Store } from "@parley/base";
import { openPgliteStore, paced } from "@parley/base/testing";
import { type Kysely, sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { listSessions } from "../../use-cases/sessions/list.ts";
import { operator } from "../../vocabulary/principal.ts";
import { stamp, type Tables } from "../tables.ts";
import { migrations } from "./migrations.ts";

const directory = await mkdtemp(join(tmpdir(), "parley-migrations-"));
afterAll(() => rm(directory, { recursive: true }));

const first = migrations.slice(
	0,
	migrations.findIndex(({ name }) => name === "0002-models"),
);
const later = migrations.slice(first.length);
const file = join(directory, "parley.sqlite");

/**
 * Engines with two functions each. The first function opens a store with the schema of the first release. The second
 * function opens the same database with the current schema.
 */
const engines: readonly [
	string,
	() => Promise<Store<Tables>>,
	(old: Store<Tables>) => Promise<Store<Tables>>,
][] = [
	[
		"SQLite",
		() => openSqliteStore<Tables>({ file, migrations: first }),
		async (old) => {
			await old.close();
			return openSqliteStore<Tables>({ file, migrations });
		},
	],
	[
		"PostgreSQL",
		() => openPgliteStore<Tables>({ migrations: first }),
		async (store) => {
			// An in-memory database is lost when it is closed, so the migrations run in the open database.
			for (const { up } of later) await store.commit((tx) => up(tx as Kysely<unknown>, "postgres"));
			return store;
		},
	],
];

const session = {
	id: "sess_old",
	owner: "operator",
	external_key: "room 1",
	title: "Old",
	root_dir: "/home",
	status: "closed",
	last_seq: 7,
	system_prompt: "You help.",
	message_count: 2,
	input_tokens: 11,
	output_tokens: 5,
	created_at: 1,
	updated_at: 2,
	left_at: null,
	...stamp,
} as const;
const fields = (seq: number, type: string, content: string) => ({
	id: `evt_${seq}`,
	session_id: "sess_old",
	seq,
	type,
	at: 1,
	...stamp,
	data: JSON.stringify({ type, runId: "run_old", content, error: "" }),
});
const run = {
	id: "run_old",
	session_id: "sess_old",
	ordinal: 1,
	state: "ended",
	content: "hello",
	accept_all: 0,
	cancel_requested: 0,
	created_at: 1,
	ended_at: 2,
	...stamp,
} as const;

test.each(engines)(
	"a database of the first release keeps its rows and gets the later schema (%s)",
	async (_name, open, reopen) => {
		const old = await open();
		await old.commit(async (tx) => {
			const columns = (row: object) => sql.join(Object.keys(row).map((key) => sql.ref(key)));
			const rows: [string, object][] = [
				...([
					["sessions", session],
					["runs", run],
				] satisfies [string, object][]),
				["events", fields(1, "session.created", "not this")],
				["events", fields(2, "user.message", "Wo ist der GARTENZAUN? Ä")],
				["events", fields(3, "assistant.message", "東京都")],
			];
			for (const [table, row] of rows) {
				const values = sql.join(Object.values(row));
				await sql`insert into ${sql.table(table)} (${columns(row)}) values (${values})`.execute(tx);
			}
		});
		const store = await reopen(old);
		const sessions = await store.read((db) => db.selectFrom("sessions").selectAll().execute());
		const added = { model: null, profile: "default", taint: "", titled_by: session.title ? "person" : null };
		const { system_prompt: text, ...otherColumns } = session;
		expect(sessions).toEqual([{ ...otherColumns, ...added, place: null, task_id: null, hashed_from: 8 }]);
		const prompts = await store.read((db) => db.selectFrom("system_prompts").selectAll().execute());
		expect(prompts).toEqual([{ session_id: session.id, text, ...stamp }]);
		const runs = await store.read((db) => db.selectFrom("runs").selectAll().execute());
		const unsaid = {
			images: null,
			retry_of: null,
			attachments: null,
			correlation: null,
			actor: null,
			options: null,
			context: null,
			joined: null,
			cancelled_by: null,
			hash: null,
		};
		expect(runs).toEqual([{ ...run, ...unsaid }]);
		for (const table of ["steers", "compactions", "usage_days", "budgets", "files", "feedback"] as const) {
			expect(await store.read((db) => db.selectFrom(table).selectAll().execute())).toEqual([]);
		}
		const found = async (query: string) => (await listSessions(store, operator, { limit: 5, query })).length;
		for (const query of ["old room", "gartenzaun", "ä", "東京", "東京都"])
			expect(await found(query), query).toBe(1);
		expect(await found("not this")).toBe(0);
		await store.close();
	},
	paced(60_000),
);
