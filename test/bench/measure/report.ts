import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

export interface BenchOptions {
	readonly rounds: number;
	/** Another checkout to compare with, from `--against DIRECTORY`. Only `turn` uses it. */
	readonly against: string | undefined;
	readonly json: string | undefined;
	readonly ratios: boolean;
}

export function readOptions(defaultRounds: number): BenchOptions {
	const { values } = parseArgs({
		options: {
			rounds: { type: "string" },
			json: { type: "string" },
			ratios: { type: "boolean" },
			against: { type: "string" },
		},
	});
	const rounds = Number(values.rounds ?? defaultRounds);
	if (!Number.isInteger(rounds) || rounds < 1)
		throw new Error(`Invalid --rounds ${values.rounds}: use an integer of at least 1`);
	return { rounds, json: values.json, ratios: values.ratios ?? false, against: values.against };
}

let isEnded = false;

/**
 * Yields round numbers from 0: `warmUp` rounds first, then `options.rounds`. After a SIGTERM, the bench finishes its
 * current round, reports its results, and fails.
 */
export function* roundsOf({ rounds }: BenchOptions, warmUp: number): Generator<number> {
	process.once("SIGTERM", () => {
		isEnded = true;
	});
	for (let round = 0; round < warmUp + rounds && !isEnded; round++) yield round;
}

export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length >> 1;
	const upper = sorted[middle] ?? Number.NaN;
	return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export interface Figure {
	readonly name: string;
	readonly unit: string;
	readonly values: readonly number[];
}

/**
 * A limit for the median of a figure. A median outside the limit fails the bench, except with `--ratios` if
 * `ofMachine` or `target` is set.
 */
export interface Gate {
	readonly figure: Figure;
	readonly atMost?: number;
	readonly atLeast?: number;
	/** The figure depends on the machine. With `--ratios`, a miss is shown but does not fail the bench. */
	readonly ofMachine?: true;
	/** The limit is a target for the future. With `--ratios`, a miss is shown but does not fail the bench. */
	readonly target?: true;
}

/**
 * Prints medians with their range, and the gates. Writes the figures to the `--json` file. Sets exit code 1 after a
 * SIGTERM, or if a median misses a gate that may fail the bench.
 */
export function report(
	name: string,
	figures: readonly Figure[],
	gates: readonly Gate[],
	options: BenchOptions,
): void {
	const lines = figures.map((figure) => `  ${figure.name.padEnd(52)} ${describe(figure)}`);
	const verdicts = gates.map((gate) => ({ gate, isMet: isMet(gate) }));
	const limits = verdicts.map(({ gate, isMet }) => {
		const kind = gate.target ? "target" : "limit";
		const bound = gate.atMost === undefined ? `at least ${gate.atLeast}` : `at most ${gate.atMost}`;
		const measured = round(median(gate.figure.values));
		return `  ${isMet ? "met    " : "NOT MET"} ${gate.figure.name}: ${measured} (${kind}: ${bound})`;
	});
	process.stdout.write(
		`${[`${name} (${options.rounds} rounds, median [min – max])`, ...lines, ...limits].join("\n")}\n`,
	);
	if (isEnded) {
		process.stdout.write(`  NOT MET stopped after ${figures[0]?.values.length ?? 0} rounds\n`);
		process.exitCode = 1;
	}
	if (options.json !== undefined) writeFileSync(options.json, JSON.stringify({ name, figures }, null, "\t"));
	const counted = verdicts.filter(({ gate }) => !(options.ratios && (gate.ofMachine || gate.target)));
	if (counted.some(({ isMet }) => !isMet)) process.exitCode = 1;
}

function isMet({ figure, atMost, atLeast }: Gate): boolean {
	const value = median(figure.values);
	return value <= (atMost ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? Number.NEGATIVE_INFINITY);
}

function describe({ values, unit }: Figure): string {
	return `${round(median(values))} ${unit} [${round(Math.min(...values))} – ${round(Math.max(...values))}]`;
}

function round(value: number): string {
	return value >= 1000 ? value.toFixed(0) : value.toPrecision(3);
}
