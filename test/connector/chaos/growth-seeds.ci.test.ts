import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../../random.ts";
import { discordGrowth, slackDirectGrowth, slackGrowth } from "./growth-platforms.ts";
import { playSeed } from "./growth-seed.ts";

const first = testSeed();
/** Number of seeds of a row. Each Slack row uses half as many seeds. */
const count = 4 * testScale(25, 1000);

test.each([
	{ platform: "Discord", open: discordGrowth, count },
	{ platform: "Slack", open: slackGrowth, count: count / 2 },
	{ platform: "Slack in direct messages", open: slackDirectGrowth, count: count / 2 },
])(
	`on $platform every answer that grows ends once, despite deaths and faults (seeds from ${first})`,
	{
		timeout: 3_600_000,
	},
	async ({ open, count: seeds }) => {
		const faults: string[] = [];
		for (let seed = first; seed < first + seeds; seed++) {
			await using directory = await mkdtempDisposable(join(tmpdir(), "parley-growth-"));
			const parts = { open: open(seed), random: new Random(seed), directory: directory.path };
			const seedFaults = await playSeed(parts).catch((reason: unknown) => [String(reason)]);
			faults.push(...seedFaults.map((fault) => `seed ${seed}: ${fault}`));
		}
		expect(faults).toEqual([]);
	},
);
