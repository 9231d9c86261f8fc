import { openSqliteStore, Redactor, type Store, silentLogger, systemClock } from "@parley/base";
import { ManualClock, openPgliteStore, paced, seededIds } from "@parley/base/testing";
import { expect, test } from "vitest";
import { freshSchema } from "../store/migrations/fresh-schema.ts";
import { migrations } from "../store/migrations/migrations.ts";
import type { Tables } from "../store/tables.ts";
import { Audit } from "../trust/audit/audit.ts";
import { memoryLimits } from "../vocabulary/memory.ts";
import { SecretBox } from "../vocabulary/secrets.ts";
import { Memories } from "./memories.ts";

const scale = process.env["PARLEY_TEST_SCALE"];
/** Returns the number of people with notes. PGlite takes minutes to index 10,000 notes. */
const peopleOf = (engine: string): number => (scale !== undefined && engine === "SQLite" ? 20 : 2);
/** Maximum milliseconds to recall notes. */
const max = 100;

const opening: readonly [string, () => Promise<Store<Tables>>][] = [
	["SQLite", () => openSqliteStore<Tables>({ file: ":memory:", migrations, fresh: freshSchema })],
	["PostgreSQL", () => openPgliteStore<Tables>({ migrations })],
];
/** Stores of the test. By default only SQLite, because PGlite starts and indexes slowly. */
const engines = scale === undefined ? opening.slice(0, 1) : opening;
const words = "deploy friday tea office lima berlin cache index ticket garden bean 東京 茶 好き 住む".split(
	" ",
);

test.each(engines)(
	`recall among many notes takes at most ${max} ms on %s`,
	{ timeout: paced(300_000) },
	async (engine, open) => {
		const store = await open();
		const people = peopleOf(engine);
		const [clock, redactor] = [new ManualClock(), new Redactor()];
		const audit = new Audit({ store, clock, redactor, log: silentLogger });
		const secrets = new SecretBox(Buffer.alloc(32, 1));
		const memories = new Memories({ store, clock, redactor, audit, secrets, ids: seededIds(1) });
		for (let user = 0; user < people; user++) {
			await store.commit(async (tx) => {
				for (let n = 0; n < memoryLimits.notes; n++) {
					const text = Array.from(
						{ length: 30 },
						(_, at) => words[(user + n * 7 + at * at) % words.length],
					).join(" ");
					const origin = { id: `mem_${user}_${n}`, author: "a", sessionId: "s", taint: "" as const };
					await memories.insert(
						tx,
						{ scope: "user", text, tags: [] },
						{ ...origin, reader: { user: `u${user}` } },
					);
				}
			});
		}
		const times: number[] = [];
		for (let round = 0; round < 5; round++) {
			const began = systemClock.monotonic();
			const notes = await memories.recall(
				{ user: "u1" },
				"When is the deploy of the office in Lima? 東京 茶 好き garden bean ticket",
			);
			times.push(systemClock.monotonic() - began);
			expect(notes).toHaveLength(8);
		}
		const best = Math.min(...times);
		process.stdout.write(`${engine}: ${people * memoryLimits.notes} notes, recall ${best.toFixed(1)} ms\n`);
		expect(best).toBeLessThan(paced(max));
		await store.close();
	},
);
