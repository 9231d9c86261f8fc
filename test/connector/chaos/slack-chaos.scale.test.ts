import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { testScale, testSeed } from "../../random.ts";
import { places } from "./life.ts";
import { judgeSlack } from "./slack-judge.ts";
import { SlackStreet } from "./slack-street.ts";

const first = testSeed();
const count = 10 * testScale(10, 100);
const kills = 4;

/** A process dies here, not the machine: there is no need to wait for a disk. */
const memory = existsSync("/dev/shm") ? "/dev/shm" : await realpath(tmpdir());

test(`people on Slack see everything once and in order, whatever dies or fails between them and the gateway (seeds from ${first})`, {
	timeout: 3_600_000,
}, async () => {
	const directory = await mkdtemp(join(memory, "parley-slack-chaos-"));
	const faults: string[] = [];
	const deaths = new Set<string>();
	for (let seed = first; seed < first + count; seed++) {
		const street = new SlackStreet(seed, directory, kills);
		await street.play();
		for (const death of street.deaths) deaths.add(death);
		faults.push(...judgeSlack(street).map((fault) => `seed ${seed}: ${fault}`));
	}
	await rm(directory, { recursive: true });
	expect(faults).toEqual([]);
	// Of ten seeds one or another may not come as far as its place.
	const unvisited = places.filter((place) => !deaths.has(place));
	expect(count < 100 ? [] : unvisited).toEqual([]);
});
