import type { Principal, Tokens } from "@parley/core";

/** Open connections and streams of principals on all wires. They are closed when their token becomes invalid. */
export class HeldOpen {
	readonly #tokens: Pick<Tokens, "counts">;
	readonly #held = new Map<string, Set<() => void>>();
	readonly #stop: () => void;

	constructor(tokens: Pick<Tokens, "counts" | "onEnd">) {
		this.#tokens = tokens;
		this.#stop = tokens.onEnd((tokenId) => this.#end(tokenId));
	}

	/** Calls `end` once, at once where the token has ended since it was shown, until what is returned is called. */
	hold({ tokenId }: Principal, end: () => void): () => void {
		if (tokenId === undefined) return () => undefined;
		if (!this.#tokens.counts(tokenId)) {
			end();
			return () => undefined;
		}
		const held = this.#held.get(tokenId) ?? new Set();
		this.#held.set(tokenId, held.add(end));
		return () => {
			held.delete(end);
			if (held.size === 0 && this.#held.get(tokenId) === held) this.#held.delete(tokenId);
		};
	}

	/** Stops closing connections. */
	close(): void {
		this.#stop();
	}

	#end(tokenId: string): void {
		const held = this.#held.get(tokenId) ?? [];
		this.#held.delete(tokenId);
		for (const end of [...held]) end();
	}
}
