import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../random.ts";
import { attackGateway } from "./attack-gateway.ts";
import { damage, damageKinds } from "./damage.ts";
import { Siege } from "./siege.ts";
import { Tally } from "./tally.ts";

const total = 1_500 * testScale(20, 670);
/** Number of concurrent attacks. */
const workers = 6;

test("malformed frames are answered one by one and leave no memory in use, and a healthy client is served at the same time", async () => {
	const began = performance.now();
	const seed = testSeed();
	const random = new Random(seed);
	await using siege = await Siege.begin();
	const tally = new Tally();
	let damaged = 0;

	const attackOnce = async (own: Random): Promise<void> => {
		// Every kind of damage occurs at least once, even at a small scale.
		if (damaged < damageKinds || own.chance(0.3))
			await damage({ port: siege.port, kind: damaged++ % damageKinds, random: own, tally });
		else await attackGateway(`ws://127.0.0.1:${siege.port}/api/ws`, own, tally);
		siege.progress();
	};
	const attack = async (until: number): Promise<void> => {
		const work = async (own: Random): Promise<void> => {
			while (tally.malformed < until && tally.faults.length < 20) await attackOnce(own);
		};
		await Promise.all(Array.from({ length: workers }, () => work(new Random(random.below(2 ** 31)))));
	};

	await siege.during(() => attack(total / 10), 3);
	await siege.mark();
	await siege.during(() => attack(total), 3);
	const result = await siege.end();
	const share = tally.deep / tally.malformed;
	process.stdout.write(
		[
			tally.toString(),
			`${tally.malformed} malformed frames, of which ${(100 * share).toFixed(0)} % passed the frame schema; ${damaged} damaged streams; ${((performance.now() - began) / 1000).toFixed(1)} s`,
			`${result.summary}\nPARLEY_TEST_SEED=${seed}\n`,
		].join("\n"),
	);

	expect(tally.faults).toEqual([]);
	expect(result.faults).toEqual([]);
	expect(damaged).toBeGreaterThanOrEqual(damageKinds);
	expect(tally.malformed).toBeGreaterThanOrEqual(total);
	expect(share).toBeGreaterThanOrEqual(0.3);
	expect(tally.count("rate limited") / tally.frames).toBeLessThan(0.2);
});
