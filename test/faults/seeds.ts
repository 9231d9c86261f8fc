import { Random, testScale, testSeed } from "../random.ts";

/** Number of runs per row. At the default scale, a row has fewer runs. */
const ROW_RUNS = 20;
const isEveryday = testScale(ROW_RUNS) === 1;
/** Minimum number of runs per case. At the default scale, large cases run once. */
const LEAST_RUNS = 2;

const base = testSeed();

export interface Repeated {
	readonly times: number;
}

/**
 * Returns the cases of one row of the fault table with their numbers of runs. Except at the default scale, each large
 * case has the minimum number, and the small cases share the remaining runs of the row. A small case never has fewer
 * runs than the minimum.
 */
export function rowOf<Case extends object>(cases: readonly Case[]): (Case & Repeated)[] {
	const large = cases.filter(isLarge).length;
	const share = Math.ceil((ROW_RUNS - large * LEAST_RUNS) / (cases.length - large));
	const small = isEveryday ? LEAST_RUNS : Math.max(LEAST_RUNS, share);
	return cases.map((one) => {
		if (!isLarge(one)) return { ...one, times: small };
		return { ...one, times: isEveryday ? 1 : LEAST_RUNS };
	});
}

function isLarge(one: object): boolean {
	return "large" in one && one.large === true;
}

/** Number of runs for a row with a single case. */
export const singleCaseRow: Repeated = { times: isEveryday ? LEAST_RUNS : ROW_RUNS };

/** Runs `run` with `times` successive seeds. The failure message contains the seed that reproduces the failure. */
export async function withSeeds(
	{ times }: Repeated,
	run: (random: Random, number: number) => Promise<void>,
): Promise<void> {
	for (let number = 0; number < times; number++) {
		const seed = base + number;
		try {
			await run(new Random(seed), number);
		} catch (cause) {
			const reason = cause instanceof Error ? cause.message : String(cause);
			throw new Error(`run ${number + 1} of ${times} (PARLEY_TEST_SEED=${seed}): ${reason}`, { cause });
		}
	}
}
