import { systemClock } from "@parley/base";
import { openPostgresStore, paced } from "@parley/base/testing";
import { migrations, type Tables } from "@parley/core";
import { ScriptedModel, TestRuntime } from "@parley/core/testing";
import { expect } from "vitest";
import { test } from "./postgres-test.ts";

const people = 20;
const notes = 500;
/** Maximum milliseconds of a recall. */
const maximum = 100;
const words = "deploy friday tea office lima berlin cache index ticket garden bean 東京 茶 好き 住む".split(
	" ",
);

test(`recall among ${people * notes} notes takes at most ${maximum} ms`, { timeout: paced(120_000) }, async ({
	database: connection,
}) => {
	const database = await openPostgresStore<Tables>({ connection, migrations });
	await using t = await TestRuntime.open({ model: new ScriptedModel(), database });
	const { memories } = t.runtime;
	for (let user = 0; user < people; user++) {
		await database.commit(async (tx) => {
			for (let n = 0; n < notes; n++) {
				const chosen = Array.from({ length: 30 }, (_, at) => words[(user + n * 7 + at * at) % words.length]);
				const note = { scope: "user", text: chosen.join(" "), tags: [] } as const;
				const origin = { id: `mem_${user}_${n}`, author: "a", sessionId: "s", taint: "" } as const;
				await memories.insert(tx, note, { ...origin, reader: { user: `u${user}` } });
			}
		});
	}
	const times: number[] = [];
	for (let round = 0; round < 5; round++) {
		const began = systemClock.monotonic();
		const text = "When is the deploy of the office in Lima? 東京 茶 好き garden bean ticket";
		const recalled = await memories.recall({ user: "u1" }, text);
		times.push(systemClock.monotonic() - began);
		expect(recalled).toHaveLength(8);
		expect(recalled.every(({ subject }) => subject === "u1")).toBe(true);
	}
	const best = Math.min(...times);
	process.stdout.write(`PostgreSQL: ${people * notes} notes, recall ${best.toFixed(1)} ms\n`);
	expect(best).toBeLessThan(paced(maximum));
});
