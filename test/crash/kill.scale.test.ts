import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../random.ts";
import { check } from "./checker.ts";
import { type Kill, killStates, type Outcome } from "./outcome.ts";
import { type PlannedKill, planAgain, planKills } from "./plan.ts";
import { World } from "./world.ts";

/** How often each state has to be hit. */
const leastHits = 5;
const turnsPerKill = 5;

const seeds = Array.from({ length: testScale(5) }, (_, index) => testSeed() + index);

test.each(seeds)(
	"a gateway that is killed again and again loses nothing, repeats nothing, tells everybody the same (seed %i)",
	{ timeout: 240_000 },
	async (seed) => {
		const began = performance.now();
		const random = new Random(seed);
		// Two gateways that do not know of each other, so that a second processor is of use.
		await using one = await World.create(new Random(random.below(2 ** 31)));
		await using two = await World.create(new Random(random.below(2 ** 31)));
		const plans = planKills(random);
		const half = plans.length / 2;
		const ends = await Promise.all([
			outlive(one, plans.slice(0, half), () => planAgain(random)),
			outlive(two, plans.slice(half), () => planAgain(random)),
		]);
		const kills = ends.flatMap((end) => end.kills);
		const turns = one.turns + two.turns;
		const seconds = ((performance.now() - began) / 1000).toFixed(1);
		process.stdout.write(
			`${table(kills)}\n${kills.length} kills, ${turns} turns, ${seconds} s, PARLEY_TEST_SEED=${seed}\n`,
		);

		expect(ends.flatMap(check)).toEqual([]);
		expect(kills.length).toBeGreaterThanOrEqual(40);
		expect(turns).toBeGreaterThanOrEqual(200);
		for (const state of killStates) expect([state, hits(kills, state) >= leastHits]).toEqual([state, true]);
	},
);

/** Kills a gateway as planned; for a kill from outside that comes too late another one makes up. */
async function outlive(world: World, plans: PlannedKill[], again: () => PlannedKill): Promise<Outcome> {
	const turns = plans.length * turnsPerKill;
	const kills: Kill[] = [];
	for (const plan of plans) {
		const kill = await world.live(plan, turnsPerKill - 1);
		kills.push(kill);
		if (kill.state !== plan.state) plans.push(again());
	}
	return { ...(await world.finish(turns)), kills };
}

function table(kills: readonly Kill[]): string {
	const rows = killStates.map((state) => {
		const counts = (["failpoint", "outside"] as const).map((by) => hits(kills, state, by));
		return [state, ...counts, hits(kills, state)];
	});
	return [["killed", "failpoint", "outside", "in all"], ...rows]
		.map(
			([state, ...counts]) =>
				`${String(state).padEnd(26)}${counts.map((n) => String(n).padStart(10)).join("")}`,
		)
		.join("\n");
}

function hits(kills: readonly Kill[], state: Kill["state"], by?: Kill["by"]): number {
	return kills.filter((kill) => kill.state === state && (by === undefined || kill.by === by)).length;
}
