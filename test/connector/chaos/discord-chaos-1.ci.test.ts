import { expect, test } from "vitest";
import { testScale, testSeed } from "../../random.ts";
import { discordChaosRun } from "./discord-chaos-run.ts";
import { judge } from "./judge.ts";
import { playChaosRuns } from "./play-chaos-runs.ts";

const first = testSeed();
const count = 20 * testScale(2, 100);

test(`people see everything once and in order, despite deaths and faults between them and the gateway (seeds from ${first})`, {
	timeout: 3_600_000,
}, async () => {
	const { faults, unvisited } = await playChaosRuns({ first, count, most: 100 }, discordChaosRun, judge);
	expect(faults).toEqual([]);
	expect(unvisited).toEqual([]);
});
