import { part } from "./growth.ts";

/** Counts the changes of growing answers that the platform has performed. */
export class SeenGrowth {
	readonly #changes = new Map<string, number>();
	/** Number of additions to native streams. */
	streamed = 0;

	get longest(): number {
		return Math.max(0, ...this.#changes.values());
	}

	edited(post: string, content: unknown): void {
		if (JSON.stringify(content).includes(part.trim())) this.#count(post);
	}

	added(post: string): void {
		this.streamed += 1;
		this.#count(post);
	}

	#count(post: string): void {
		this.#changes.set(post, 1 + (this.#changes.get(post) ?? 0));
	}
}
