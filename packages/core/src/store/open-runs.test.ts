import { openSqliteStore, systemClock } from "@parley/base";
import { expect, test } from "vitest";
import { migrations } from "./migrations/migrations.ts";
import { oldestOpenRun } from "./statements.ts";
import type { RunState, Tables } from "./tables.ts";

test("the oldest open run of a session is found without walking its ended runs", async () => {
	const store = await openSqliteStore<Tables>({ file: ":memory:", migrations });
	const run = (sessionId: string, ordinal: number, state: RunState) => ({
		epoch: 1,
		v: 1,
		id: `${sessionId}.${ordinal}`,
		session_id: sessionId,
		ordinal,
		state,
		content: "",
		accept_all: 0,
		cancel_requested: 0,
		created_at: 1,
	});
	const ended = Array.from({ length: 5_000 }, (_, ordinal) => ordinal);
	await store.commit(async (tx) => {
		const insert = (sessionId: string, ordinal: number, state: RunState) =>
			tx
				.insertInto("runs")
				.values(run(sessionId, ordinal, state))
				.execute();
		for (const ordinal of ended) await insert("long", ordinal, "ended");
		for (const sessionId of ["long", "short"]) {
			await insert(sessionId, 30_001, "queued");
			await insert(sessionId, 30_000, "active");
		}
	});
	const find = (sessionId: string) => store.read((db) => oldestOpenRun(db, { sessionId }));
	const least = async (sessionId: string): Promise<number> => {
		const times: number[] = [];
		for (let n = 0; n < 20; n++) {
			const began = systemClock.monotonic();
			expect(await find(sessionId)).toMatchObject([{ ordinal: 30_000 }]);
			times.push(systemClock.monotonic() - began);
		}
		return Math.min(...times);
	};
	// A scan of 5,000 runs takes about 20 times as long as a scan of the short session.
	expect(await least("long")).toBeLessThan(5 * (await least("short")));
	await store.close();
});
