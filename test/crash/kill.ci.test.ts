import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../random.ts";
import { check } from "./checker.ts";
import { KillableGateway } from "./killable-gateway.ts";
import { type Kill, killStates, type Outcome } from "./outcome.ts";
import { type PlannedKill, planKills, planReplacement } from "./plan.ts";

/** Number of kills, in tens: ten kills by default, forty at larger scales. */
const tens = testScale(4);
/**
 * Minimum number of kills in each state. With ten kills, two are planned per state, and the kill from outside may
 * be too late.
 */
const leastHits = tens === 1 ? 1 : 5;
const turnsPerKill = 5;

const first = testSeed();
const seeds = Array.from({ length: testScale(1, 5) }, (_, index) => first + index);

test.each(seeds)(
	"a gateway that is killed repeatedly loses no event, repeats none, and sends all clients the same (seed %i)",
	{ timeout: paced(240_000) },
	async (seed) => {
		const began = performance.now();
		const random = new Random(seed);
		const plans = planKills(random, tens);
		const states = new Set(plans.map(({ state }) => state));
		// Forty kills run on two independent gateways, to use both processors.
		const half = tens === 1 ? plans.length : plans.length / 2;
		await using one = await KillableGateway.create(new Random(random.below(2 ** 31)));
		await using two = tens === 1 ? null : await KillableGateway.create(new Random(random.below(2 ** 31)));
		const ends = await Promise.all([
			outlive(one, plans.slice(0, half), () => planReplacement(random)),
			...(two ? [outlive(two, plans.slice(half), () => planReplacement(random))] : []),
		]);
		const kills = ends.flatMap((end) => end.kills);
		const turns = one.turns + (two?.turns ?? 0);
		const seconds = ((performance.now() - began) / 1000).toFixed(1);
		process.stdout.write(
			`${table(kills)}\n${kills.length} kills, ${turns} turns, ${seconds} s, PARLEY_TEST_SEED=${seed}\n`,
		);

		expect(ends.flatMap(check)).toEqual([]);
		expect(kills.length).toBeGreaterThanOrEqual(10 * tens);
		expect(turns).toBeGreaterThanOrEqual(10 * tens * turnsPerKill);
		for (const state of states) expect([state, hits(kills, state) >= leastHits]).toEqual([state, true]);
	},
);

/**
 * Runs all `plans`. Replaces a kill from outside that was too late. Returns the outcome after a last process without
 * a kill.
 */
async function outlive(
	killable: KillableGateway,
	plans: PlannedKill[],
	planAnother: () => PlannedKill,
): Promise<Outcome> {
	const turns = plans.length * turnsPerKill;
	const kills: Kill[] = [];
	for (const plan of plans) {
		const kill = await killable.live(plan, turnsPerKill - 1);
		kills.push(kill);
		if (kill.state !== plan.state) plans.push(planAnother());
	}
	return { ...(await killable.finish(turns)), kills };
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
