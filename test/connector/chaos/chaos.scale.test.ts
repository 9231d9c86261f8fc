import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testScale, testSeed } from "../../random.ts";
import { judge } from "./judge.ts";
import { places } from "./life.ts";
import { Street } from "./street.ts";

const first = testSeed();
const count = 20 * testScale(5, 100);
const kills = 4;

/** A process dies here, not the machine: there is no need to wait for a disk. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : await realpath(tmpdir());

test(`people see everything once and in order, whatever dies or fails between them and the gateway (seeds from ${first})`, {
	timeout: 3_600_000,
}, async () => {
	const directory = await mkdtemp(join(memory, "parley-chaos-"));
	const faults: string[] = [];
	const deaths = new Set<string>();
	for (let seed = first; seed < first + count; seed++) {
		const street = new Street(seed, directory, kills);
		await street.play();
		for (const death of street.deaths) deaths.add(death);
		faults.push(...judge(street).map((fault) => `seed ${seed}: ${fault}`));
	}
	await rm(directory, { recursive: true });
	expect(faults).toEqual([]);
	// Of twenty seeds one or another may not come as far as its place.
	const unvisited = places.filter((place) => !deaths.has(place));
	expect(count < 100 ? [] : unvisited).toEqual([]);
});
