import type { Labels, Sample } from "./exposition.ts";

/** Whatever names come from elsewhere: a family never has more series than this, and one for all others. */
const maxSeries = 500;

/** Values by labels: one series for each combination, all with the same label names. */
export class Series<Value> {
	readonly #make: () => Value;
	readonly #known = new Map<string, { readonly labels: Labels; value: Value }>();

	constructor(make: () => Value) {
		this.#make = make;
	}

	/** The series of these labels; where there are too many, that of all others. */
	at(labels: Labels): { readonly labels: Labels; value: Value } {
		const key = keyOf(labels);
		const known = this.#known.get(key);
		if (known) return known;
		if (this.#known.size >= maxSeries && !isOther(labels)) return this.at(other(labels));
		const series = { labels, value: this.#make() };
		this.#known.set(key, series);
		return series;
	}

	all(): { readonly labels: Labels; readonly value: Value }[] {
		return [...this.#known.values()];
	}
}

function keyOf(labels: Labels): string {
	return Object.values(labels).join("\0");
}

function other(labels: Labels): Labels {
	return Object.fromEntries(Object.keys(labels).map((name) => [name, "other"]));
}

function isOther(labels: Labels): boolean {
	return Object.values(labels).every((value) => value === "other");
}

/** Counts what happened. */
export class Tally {
	readonly #series = new Series(() => 0);

	add(labels: Labels = {}, by = 1): void {
		this.#series.at(labels).value += by;
	}

	/** `unit` is how many of what was counted make one of what is told. */
	samples(unit = 1): Sample[] {
		return this.#series.all().map(({ labels, value }) => ({ labels, value: value / unit }));
	}
}
