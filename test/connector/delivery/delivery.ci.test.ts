import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testScale, testSeed } from "../../random.ts";
import { DeliveryRun } from "./delivery-run.ts";
import { judge } from "./judge.ts";
import { places } from "./killable-outbox.ts";

const first = testSeed();
const count = 50 * testScale(4, 200);
const kills = 4;

/** Directory of the databases. They may be in memory, because the tests never stop the machine. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : await realpath(tmpdir());

test(`no event or post is lost, repeated or out of order after many deaths of the process (seeds from ${first})`, {
	timeout: 3_600_000,
}, async () => {
	const directory = await mkdtemp(join(memory, "parley-delivery-"));
	const faults: string[] = [];
	const deaths = new Set<string>();
	for (let seed = first; seed < first + count; seed++) {
		const run = new DeliveryRun(seed, directory);
		await run.play(kills);
		for (const death of run.deaths) deaths.add(death);
		faults.push(...judge(run).map((fault) => `seed ${seed}: ${fault}`));
	}
	await rm(directory, { recursive: true });
	expect(faults).toEqual([]);
	expect(places.filter((place) => !deaths.has(place))).toEqual([]);
});
