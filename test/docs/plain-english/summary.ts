import { type Kind, kinds } from "./prose.ts";
import { type Count, type Counts, goals } from "./ratchet.ts";

/** Returns a table of sentences, findings and their share by package and kind, with the goals. */
export function summary(counts: Counts): string {
	const rows = [...counts].flatMap(([name, row]) =>
		[...row].map(([kind, count]) => cells(name, kind, count)),
	);
	const sums = sumsOf(counts).map(([kind, count]) => cells("all", kind, count));
	return table([["package", "kind", "sentences", "findings", "percent", "goal"], ...rows, ...sums]);
}

/** Returns one line with the share of each kind and its goal. */
export function presentAndGoals(counts: Counts): string {
	const shares = sumsOf(counts).map(
		([kind, count]) =>
			`${kind} ${percent(count)} % (goal: ${goals[kind] === 0 ? "none" : `${goals[kind]} %`})`,
	);
	return `sentences that break a rule of plain English: ${shares.join(", ")}`;
}

function sumsOf(counts: Counts): [Kind, Count][] {
	return kinds.flatMap((kind): [Kind, Count][] => {
		const rows = [...counts.values()].flatMap((row) => row.get(kind) ?? []);
		const sentences = rows.reduce((sum, row) => sum + row.sentences, 0);
		const findings = rows.reduce((sum, row) => sum + row.findings, 0);
		return sentences === 0 ? [] : [[kind, { sentences, findings }]];
	});
}

function cells(name: string, kind: Kind, count: Count): string[] {
	const goal = goals[kind] === 0 ? "none" : String(goals[kind]);
	return [name, kind, String(count.sentences), String(count.findings), percent(count), goal];
}

function percent({ sentences, findings }: Count): string {
	return ((100 * findings) / sentences).toFixed(1);
}

function table(rows: readonly string[][]): string {
	const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	const lines = rows.map((row) =>
		row.map((cell, column) =>
			column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
		),
	);
	return lines.map((cells) => cells.join("  ")).join("\n");
}
