import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noFailpoints, openSqliteStore, type Store, silentLogger } from "@parley/base";
import { ManualClock, openPgliteStore, seededIds } from "@parley/base/testing";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { Runtime } from "../../runtime.ts";
import { migrations } from "../../store/migrations/migrations.ts";
import { indexMessages } from "../../store/search-texts.ts";
import type { Tables } from "../../store/tables.ts";
import { EventLog } from "../../testing/event-log.ts";
import { noSandboxes } from "../../testing/no-sandboxes.ts";
import { ScriptedModel, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { operator } from "../../vocabulary/principal.ts";
import { SecretBox } from "../../vocabulary/secrets.ts";

const directory = await mkdtemp(join(tmpdir(), "parley-search-"));
afterAll(() => rm(directory, { recursive: true }));

const engines: readonly [string, () => Promise<Store<Tables>>][] = [
	["SQLite", () => openSqliteStore<Tables>({ file: join(directory, "parley.sqlite"), migrations })],
	["PostgreSQL", () => openPgliteStore<Tables>({ migrations })],
];

test.each(engines)(
	"sessions are found by all words of their names and messages on %s",
	async (_name, open) => {
		const store = await open();
		const clock = new ManualClock();
		const replies = [
			says("A hedge of BEECH, 100%_sure."),
			says("東京都はとても大きい。"),
			says('c:\\temp "quoted" AND not'),
		];
		const runtime = new Runtime({
			store,
			clock,
			ids: seededIds(1),
			log: silentLogger,
			failpoints: noFailpoints,
			model: new ScriptedModel(...replies.map((reply) => [reply])),
			tools: [],
			sandbox: noSandboxes(clock, {}),
			secrets: new SecretBox(Buffer.alloc(32, 1)),
			roots: { given: [], current: directory, dataDir: join(directory, "data") },
			systemTemplate: "You help.",
		});
		const names = new Map<string, string>();
		for (const [name, message] of [
			["garden", "Was wächst in ÖSTLICHEN Gärten?"],
			["tokyo", "大きい？"],
			["odd", "Ｆｕｌｌ width"],
		] as const) {
			clock.advance(1_000);
			const { id } = await runtime.create(unkeyed(), {
				title: `The ${name} plan`,
				externalKey: `room-${name}`,
			});
			names.set(id, name);
			const log = await EventLog.join(runtime, id);
			await runtime.send(unkeyed(), id, { content: message });
			await log.next("assistant.message");
		}
		const found = async (query: string): Promise<string[]> => {
			const sessions = await runtime.list(operator, { limit: 10, query });
			return sessions.map(({ id }) => names.get(id) ?? id);
		};
		expect(await found("")).toEqual(["odd", "tokyo", "garden"]);
		expect(await found("PLAN")).toEqual(["odd", "tokyo", "garden"]);
		expect(await found("room-tokyo")).toEqual(["tokyo"]);
		expect(await found("beech garden")).toEqual(["garden"]);
		expect(await found("beech tokyo")).toEqual([]);
		expect(await found("östlichen GÄRT")).toEqual(["garden"]);
		expect(await found("Ä")).toEqual(["garden"]);
		expect(await found("東京")).toEqual(["tokyo"]);
		expect(await found("東京都は")).toEqual(["tokyo"]);
		expect(await found("大")).toEqual(["tokyo"]);
		expect(await found("full")).toEqual(["odd"]);
		expect(await found("%_")).toEqual(["garden"]);
		expect(await found("100%_s")).toEqual(["garden"]);
		expect(await found("c:\\temp")).toEqual(["odd"]);
		expect(await found(":\\")).toEqual(["odd"]);
		expect(await found('"quoted"')).toEqual(["odd"]);
		expect(await found('" AND (')).toEqual([]);
		expect(await found("NEAR(plan*) -x ^")).toEqual([]);
		expect(await found("a\u0000b\ud800")).toEqual([]);
		expect(await runtime.list(operator, { limit: 1, query: "plan" })).toHaveLength(1);
		await store.close();
	},
	60_000,
);

test("SQLite indexes texts in groups, and searches find texts of an incomplete group", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const [first, last] = [await t.create(), await t.create()];
	const texts = Array.from({ length: 130 }, (_, index) => `number-${index}-of-many`);
	await t.store.commit((tx) => indexMessages(tx, first, texts.slice(0, 100)));
	await t.store.commit((tx) => indexMessages(tx, last, texts.slice(100)));
	const groups = await t.store.read((db) =>
		sql<{ count: number }>`select count(*) as count from search_index`.execute(db),
	);
	expect(groups.rows).toEqual([{ count: 128 }]);
	const found = async (query: string): Promise<string[]> =>
		(await t.runtime.list(operator, { limit: 10, query })).map(({ id }) => id);
	for (const [index, text] of texts.entries())
		expect(await found(text)).toEqual([index < 100 ? first : last]);

	await t.runtime.remove(unkeyed(), last, false);
	expect(await found("of-many")).toEqual([first]);
	await t.store.commit((tx) => indexMessages(tx, first, texts.slice(100)));
	for (const text of texts) expect(await found(text)).toEqual([first]);
});
