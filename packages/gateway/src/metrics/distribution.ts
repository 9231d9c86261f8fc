import type { Labels, Sample } from "./exposition.ts";
import { Series } from "./tally.ts";

interface Measured {
	readonly counts: number[];
	sum: number;
}

/** Counts values by size: how many were at most as large as each bound. */
export class Distribution {
	readonly #bounds: readonly number[];
	readonly #series: Series<Measured>;

	/** `bounds` ascend. */
	constructor(bounds: readonly number[]) {
		this.#bounds = bounds;
		this.#series = new Series(() => ({ counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 }));
	}

	add(value: number, labels: Labels = {}): void {
		const measured = this.#series.at(labels).value;
		const found = this.#bounds.findIndex((bound) => value <= bound);
		const place = found < 0 ? this.#bounds.length : found;
		measured.counts[place] = (measured.counts[place] ?? 0) + 1;
		measured.sum += value;
	}

	samples(): Sample[] {
		return this.#series.all().flatMap(({ labels, value: { counts, sum } }) => {
			let below = 0;
			const buckets = [...this.#bounds, Number.POSITIVE_INFINITY].map((bound, index): Sample => {
				below += counts[index] ?? 0;
				const le = bound === Number.POSITIVE_INFINITY ? "+Inf" : String(bound);
				return { suffix: "_bucket", labels: { ...labels, le }, value: below };
			});
			return [
				...buckets,
				{ suffix: "_sum", labels, value: sum } as const,
				{ suffix: "_count", labels, value: below } as const,
			];
		});
	}
}
