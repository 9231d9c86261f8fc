import { part } from "./growth.ts";

/** Counts the changes of growing answers that the platform has performed. */
export class SeenGrowth {
	/** Number of edits or stream additions by post. */
	readonly #changes = new Map<string, number>();
	/** Number of additions to native streams. */
	streamed = 0;

	get longest(): number {
		return Math.max(0, ...this.#changes.values());
	}

	/** Counts an edit if the new content contains a part of a growing reply. */
	edited(post: string, content: unknown): void {
		if (JSON.stringify(content).includes(part.trim())) this.#count(post);
	}

	/** Counts an addition to the native stream of this post. */
	added(post: string): void {
		this.streamed += 1;
		this.#count(post);
	}

	#count(post: string): void {
		this.#changes.set(post, 1 + (this.#changes.get(post) ?? 0));
	}
}
