import { expect, test } from "vitest";
import { testScale, testSeed } from "../../random.ts";
import { playStreets } from "./play-streets.ts";
import { judgeSlack } from "./slack-judge.ts";
import { slackStreet } from "./slack-street.ts";

const first = testSeed();
const count = 10 * testScale(10, 100);

test(`people on Slack see everything once and in order, whatever dies or fails between them and the gateway (seeds from ${first})`, {
	timeout: 3_600_000,
}, async () => {
	const { faults, unvisited } = await playStreets({ first, count }, slackStreet, judgeSlack);
	expect(faults).toEqual([]);
	// Of ten seeds one or another may not come as far as its place.
	expect(count < 100 ? [] : unvisited).toEqual([]);
});
