import { Random, testScale, testSeed } from "../random.ts";

/** How often each case runs, each time cut differently. */
const RUNS = 20;
/** Cases that take long, where not everything runs at its full scale. */
const LARGE_RUNS = testScale(RUNS);

const base = testSeed();

/** Runs a case again and again, with chance that differs each time; a failure names the seed that repeats it. */
export async function withSeeds(
	{ large = false }: { readonly large?: boolean },
	run: (random: Random) => Promise<void>,
): Promise<void> {
	const runs = large ? LARGE_RUNS : RUNS;
	for (let number = 0; number < runs; number++) {
		const seed = base + number;
		try {
			await run(new Random(seed));
		} catch (cause) {
			const reason = cause instanceof Error ? cause.message : String(cause);
			throw new Error(`run ${number + 1} of ${runs} (PARLEY_TEST_SEED=${seed}): ${reason}`, { cause });
		}
	}
}
