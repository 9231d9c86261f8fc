import { part } from "./growth.ts";

/** Changes of growing answers that the platform has carried out. */
export class SeenGrowth {
	/** Number of edits of each post, or of additions to it. */
	readonly #changes = new Map<string, number>();
	/** Number of additions to native streams of the platform. */
	streamed = 0;

	/** Maximum number of changes of a single post. */
	get longest(): number {
		return Math.max(0, ...this.#changes.values());
	}

	/** Counts an edit of the post with a part of a growing reply. */
	edited(post: string, content: unknown): void {
		if (JSON.stringify(content).includes(part.trim())) this.#count(post);
	}

	/** Counts an addition to the post, which is a native stream. */
	added(post: string): void {
		this.streamed += 1;
		this.#count(post);
	}

	#count(post: string): void {
		this.#changes.set(post, 1 + (this.#changes.get(post) ?? 0));
	}
}
