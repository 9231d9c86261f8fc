import type { ResponseFrame } from "@parley/protocol";
import { type Depth, depths, judge, readFrame } from "./depth.ts";

export class Tally {
	/** At most 20 faults, as examples. */
	readonly faults: string[] = [];
	readonly #counts = new Map<string, Map<Depth, number>>();
	#frames = 0;

	get frames(): number {
		return this.#frames;
	}

	/** Returns the number of refused frames, except those refused by the rate limit. */
	get malformed(): number {
		return this.#frames - this.count("done") - this.count("rate limited");
	}

	/** Returns the number of frames that pass the request schema and are refused by a later check. */
	get deep(): number {
		return this.malformed - this.count("no JSON") - this.count("no request");
	}

	count(depth: Depth): number {
		return [...this.#counts.values()].reduce((sum, counts) => sum + (counts.get(depth) ?? 0), 0);
	}

	add(family: string, text: string, answer: ResponseFrame): void {
		const judged = judge(readFrame(text), answer);
		if ("fault" in judged) {
			this.fault(
				`${judged.fault}: ${JSON.stringify(text.slice(0, 300))} got ${JSON.stringify(answer).slice(0, 300)}`,
			);
			return;
		}
		const counts = this.#counts.get(family) ?? new Map<Depth, number>();
		this.#counts.set(family, counts.set(judged.depth, (counts.get(judged.depth) ?? 0) + 1));
		this.#frames++;
	}

	fault(description: string): void {
		if (this.faults.length < 20) this.faults.push(description);
	}

	toString(): string {
		const families = [...this.#counts.keys()].sort();
		const rows = depths.map((depth) => {
			const counts = families.map((family) => this.#counts.get(family)?.get(depth) ?? 0);
			return [depth, ...counts, this.count(depth)];
		});
		return [["refused as", ...families, "in all"], ...rows]
			.map(
				([depth, ...cells]) =>
					`${String(depth).padEnd(18)}${cells.map((cell) => String(cell).padStart(10)).join("")}`,
			)
			.join("\n");
	}
}
