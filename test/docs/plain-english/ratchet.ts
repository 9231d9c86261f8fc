import { readFileSync, writeFileSync } from "node:fs";
import { parseJson } from "@parley/base";
import * as z from "zod";
import { type Kind, kinds } from "./prose.ts";
import { packageOf, type Reading } from "./readings.ts";

/** Maximum share of sentences or identifiers with findings, in percent. */
export const goals: Readonly<Record<Kind, number>> = {
	comments: 2,
	docs: 0,
	texts: 0,
	names: 2,
	identifiers: 0,
};

export interface Count {
	readonly sentences: number;
	readonly findings: number;
}

/** Number of sentences and findings by package and kind. Excludes kinds without a sentence. */
export type Counts = ReadonlyMap<string, ReadonlyMap<Kind, Count>>;

export function countsOf(readings: readonly Reading[]): Counts {
	const counts = new Map<string, Map<Kind, Count>>();
	for (const { file, sentences, findings } of readings) {
		const name = packageOf(file);
		const row = counts.get(name) ?? new Map<Kind, Count>();
		counts.set(name, row);
		for (const kind of kinds) {
			if (sentences[kind] === 0) continue;
			const before = row.get(kind) ?? { sentences: 0, findings: 0 };
			row.set(kind, {
				sentences: before.sentences + sentences[kind],
				findings: before.findings + findings.filter((finding) => finding.kind === kind).length,
			});
		}
	}
	return new Map(
		[...counts].filter(([, row]) => row.size > 0).sort(([one], [other]) => (one < other ? -1 : 1)),
	);
}

const Maxima = z.record(z.string(), z.record(z.string(), z.int().min(0)));
/** Maximum number of findings by package and kind. A missing entry means 0. */
export type Maxima = z.infer<typeof Maxima>;

const file = new URL("../plain-english.json", import.meta.url);

export function readMaxima(): Maxima {
	return Maxima.parse(parseJson(readFileSync(file, "utf8")));
}

export function writeMaxima(maxima: Maxima): void {
	writeFileSync(file, `${JSON.stringify(maxima, null, "\t")}\n`);
}

export interface Change {
	readonly name: string;
	readonly kind: Kind;
	readonly findings: number;
	readonly maximum: number;
}

/** Returns the entries with more findings than their maximum, and the entries with fewer. */
export function compare(counts: Counts, maxima: Maxima): { risen: Change[]; fallen: Change[] } {
	const changes = [...counts].flatMap(([name, row]) =>
		[...row].map(([kind, { findings }]) => ({ name, kind, findings, maximum: maxima[name]?.[kind] ?? 0 })),
	);
	return {
		risen: changes.filter(({ findings, maximum }) => findings > maximum),
		fallen: changes.filter(({ findings, maximum }) => findings < maximum),
	};
}

/**
 * Returns the maxima, lowered to the current number of findings. Never raises a maximum. Omits a kind whose maximum is
 * 0.
 */
export function lowered(counts: Counts, maxima: Maxima): Maxima {
	const rows = [...counts].map(([name, row]) => {
		const lowered = [...row].map(
			([kind, { findings }]) => [kind, Math.min(findings, maxima[name]?.[kind] ?? 0)] as const,
		);
		return [name, Object.fromEntries(lowered.filter(([, maximum]) => maximum > 0))] as const;
	});
	return Object.fromEntries(rows.filter(([, row]) => Object.keys(row).length > 0));
}
