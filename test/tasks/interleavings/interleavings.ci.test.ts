import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../../random.ts";
import { type Action, actions } from "./expected-state.ts";
import { allSequences } from "./sequences.ts";
import { type EngineName, grouped, Stage } from "./stage.ts";

const maxSteps = 6;
const seed = testSeed();
const all = allSequences(maxSteps);

/** Selection of the sequences to play. With `everything`, the test without kills plays all sequences. */
const level = (["sample", "short", "everything"] as const)[testScale(2, 3) - 1] ?? "sample";

/** Size of a sample: number of groups, and of sequences in each group. A sample of all groups has all sequences. */
type Amount = readonly [groups: number, each: number];
const amounts: Readonly<Record<EngineName, Readonly<Record<typeof level, { uncut: Amount; cut: Amount }>>>> =
	{
		SQLite: {
			sample: { uncut: [4, 8], cut: [3, 6] },
			short: { uncut: [6, 20], cut: [5, 10] },
			everything: { uncut: [Number.POSITIVE_INFINITY, 40], cut: [100, 20] },
		},
		PGlite: {
			sample: { uncut: [1, 6], cut: [1, 4] },
			short: { uncut: [2, 8], cut: [1, 6] },
			everything: { uncut: [Number.POSITIVE_INFINITY, 40], cut: [30, 20] },
		},
	};
const engines: readonly EngineName[] = ["SQLite", "PGlite"];
const timeout = paced(level === "everything" ? 3_600_000 : 240_000);

test("every action is played, and no sequence is the start of another", () => {
	expect(new Set(all.flat())).toEqual(new Set(actions));
	const texts = all.map((sequence) => sequence.join());
	expect(new Set(texts).size).toBe(texts.length);
	const beginnings = new Set(
		all.flatMap((one) => one.slice(0, -1).map((_, n) => one.slice(0, n + 1).join())),
	);
	expect(texts.filter((text) => beginnings.has(text))).toEqual([]);
});

test.each(engines)(
	`tasks have the documented state after each step of every sequence on %s (seed ${seed})`,
	{ timeout },
	async (engine) => {
		const short = level === "short" ? grouped(allSequences(engine === "SQLite" ? 4 : 2)) : [];
		const groups = [...short, ...sample(amounts[engine][level].uncut)];
		expect(await playAll(engine, groups)).toEqual([]);
	},
);

test.each(engines)(
	`no work is lost or repeated if a process dies in the middle of a step on %s (seed ${seed})`,
	{ timeout },
	async (engine) => {
		const groups = sample(amounts[engine][level].cut);
		expect(await playAll(engine, groups, new Random(seed))).toEqual([]);
	},
);

function sample([count, each]: Amount): (readonly Action[])[][] {
	const random = new Random(seed);
	const groups = grouped(all);
	if (count >= groups.length) return groups;
	return random
		.shuffle(groups)
		.slice(0, count)
		.map((group) => random.shuffle(group).slice(0, each));
}

async function playAll(
	engine: EngineName,
	groups: readonly (readonly (readonly Action[])[])[],
	chance?: Random,
): Promise<string[]> {
	const began = performance.now();
	await using stage = await Stage.open(engine);
	const faults: string[] = [];
	for (const group of groups) faults.push(...(await stage.play(group, chance)));
	const played = groups.reduce((sum, { length }) => sum + length, 0);
	const seconds = ((performance.now() - began) / 1000).toFixed(1);
	const suffix = chance ? ", each with a death in the middle of a step" : "";
	process.stdout.write(
		`${engine}: ${played} of ${all.length} sequences of ${maxSteps} steps${suffix}, ${seconds} s, PARLEY_TEST_SEED=${seed}\n`,
	);
	return faults;
}
