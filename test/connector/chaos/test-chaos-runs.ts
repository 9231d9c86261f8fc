import { expect, test } from "vitest";
import { testScale, testSeed } from "../../random.ts";
import { type DiscordChaosRun, discordChaosRun } from "./discord-chaos-run.ts";
import { judge } from "./judge.ts";
import { playChaosRuns } from "./play-chaos-runs.ts";
import { type SlackChaosRun, slackChaosRun } from "./slack-chaos-run.ts";
import { judgeSlack } from "./slack-judge.ts";

/**
 * Number of runs in each test file. With `PARLEY_TEST_SCALE=ci`, the four files of both platforms play 200 runs in
 * total.
 */
const count = 10 * testScale(5, 75);

/** Minimum share of runs with each item of `happened`. */
const least: Readonly<Record<string, number>> = {
	"an answer has grown by several changes": 1,
	"an answer has called a tool": 0.95,
	"a person or the operator has answered a question": 0.9,
	"a task has ended": 0.4,
	"a process has died": 1,
	"the database was lost": 0.35,
	"a request to the platform has failed": 1,
};

const leastOnSlack = { ...least, "an answer has grown as a stream of the platform": 0.65 };

/** Defines the chaos test for one range of seeds on Discord. `part` is the index of this range. */
export function testDiscord(part: number): void {
	const first = testSeed() + part * count;
	test(
		`people on Discord see everything once and in order, despite deaths and faults between them and the gateway (seeds from ${first})`,
		{
			timeout: 3_600_000,
		},
		() => proof(first, discordChaosRun, judge, least),
	);
}

/** Defines the chaos test for one range of seeds on Slack. `part` is the index of this range. */
export function testSlack(part: number): void {
	const first = testSeed() + part * count;
	test(
		`people on Slack see everything once and in order, despite deaths and faults between them and the gateway (seeds from ${first})`,
		{
			timeout: 3_600_000,
		},
		() => proof(first, slackChaosRun, judgeSlack, leastOnSlack),
	);
}

async function proof<ChaosRun extends DiscordChaosRun | SlackChaosRun>(
	first: number,
	open: (seed: number, directory: string, kills: number) => ChaosRun,
	judged: (run: ChaosRun) => readonly string[],
	expected: Readonly<Record<string, number>>,
): Promise<void> {
	const { faults, unvisited, census } = await playChaosRuns({ first, count }, open, judged);
	expect(faults).toEqual([]);
	expect(unvisited).toEqual([]);
	const rare = Object.entries(expected).filter(([kind, part]) => (census.get(kind) ?? 0) < part * count);
	expect(rare, `of ${count}: ${JSON.stringify([...census])}`).toEqual([]);
}
