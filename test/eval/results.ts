import type { Played } from "./play-task.ts";
import { kinds } from "./task.ts";

export interface Total {
	readonly name: string;
	readonly tasks: number;
	readonly succeeded: number;
	readonly turns: number;
	readonly tokensInput: number;
	readonly tokensOutput: number;
	/** Cost in US dollars. */
	readonly cost: number;
}

/** Returns one total per kind that was played, then the total of all tasks. */
export function totalsOf(played: readonly Played[]): readonly Total[] {
	const byKind = kinds
		.map((kind) =>
			totalOf(
				kind,
				played.filter(({ task }) => task.kind === kind),
			),
		)
		.filter(({ tasks }) => tasks > 0);
	return [...byKind, totalOf("all", played)];
}

function totalOf(name: string, played: readonly Played[]): Total {
	const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);
	return {
		name,
		tasks: played.length,
		succeeded: played.filter(({ faults }) => faults.length === 0).length,
		turns: sum(played.map(({ turns }) => turns)),
		tokensInput: sum(played.map(({ tokensInput }) => tokensInput)),
		tokensOutput: sum(played.map(({ tokensOutput }) => tokensOutput)),
		cost: sum(played.map(({ cost }) => cost)),
	};
}

const columns = [28, 10, 7, 11, 12, 10] as const;
const headings = ["", "succeeded", "calls", "tokens in", "tokens out", "US $"] as const;

export function tableOf(totals: readonly Total[]): string[] {
	const rows = totals.map(({ name, tasks, succeeded, turns, tokensInput, tokensOutput, cost }) => [
		...[name, `${succeeded}/${tasks}`, String(turns), String(tokensInput), String(tokensOutput)],
		cost.toFixed(4),
	]);
	return [headings, ...rows].map((row) =>
		row
			.map((text, index) => (index === 0 ? text.padEnd(columns[0]) : text.padStart(columns[index] ?? 0)))
			.join(""),
	);
}

export function lineOf({ task, faults, turns, ms }: Played): string {
	const mark = faults.length === 0 ? "✓" : "✗";
	const why = faults.length === 0 ? "" : `: ${faults.join("; ")}`;
	return `${mark} ${task.kind}: ${task.name} (${turns} calls, ${(ms / 1000).toFixed(1)} s)${why}`;
}
