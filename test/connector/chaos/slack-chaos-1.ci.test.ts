import { expect, test } from "vitest";
import { testScale, testSeed } from "../../random.ts";
import { playChaosRuns } from "./play-chaos-runs.ts";
import { slackChaosRun } from "./slack-chaos-run.ts";
import { judgeSlack } from "./slack-judge.ts";

const first = testSeed();
const count = 10 * testScale(4, 100);

test(`people on Slack see everything once and in order, despite deaths and faults between them and the gateway (seeds from ${first})`, {
	timeout: 3_600_000,
}, async () => {
	const { faults, unvisited } = await playChaosRuns({ first, count, most: 100 }, slackChaosRun, judgeSlack);
	expect(faults).toEqual([]);
	expect(unvisited).toEqual([]);
});

test("the trust of a channel ends although the join of a guest is lost with the database of the connector", {
	timeout: 60_000,
}, async () => {
	// In this run the process is killed 50 ms after it has taken the join, and its database is lost.
	const { faults } = await playChaosRuns({ first: 1218609237, count: 1 }, slackChaosRun, judgeSlack);
	expect(faults).toEqual([]);
});
