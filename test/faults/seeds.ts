import { Random, testScale, testSeed } from "../random.ts";

/** How often each row of the fault table is run at its full scale, each time cut differently; a few times every day. */
const ROW_RUNS = 20;
const isEveryday = testScale(ROW_RUNS) === 1;
/** How often each case of a row is run at least. */
const LEAST_RUNS = 2;

const base = testSeed();

/** Says how often a case is run. */
export interface Repeated {
	readonly times: number;
}

/**
 * One row of the fault table, whose cases share its runs. Those that are large (so many bytes, or so much time in small
 * steps) run as seldom as any may, and the others make up for them.
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

/** What is a row by itself. */
export const wholeRow: Repeated = { times: isEveryday ? LEAST_RUNS : ROW_RUNS };

/** Runs a case again and again, with chance that differs each time; a failure names the seed that repeats it. */
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
