import type { Principal } from "@parley/core";

interface TokenLife {
	/** Whether the token with this id is valid. */
	counts(tokenId: string): boolean;
	/** Adds a listener that is called when a token becomes invalid. Returns a function that removes the listener. */
	onEnd(listener: (tokenId: string) => void): () => void;
}

/** Open connections and streams of principals on all wires. They are closed when their token becomes invalid. */
export class OpenConnections {
	readonly #tokens: TokenLife;
	readonly #openConnections = new Map<string, Set<() => void>>();
	readonly #stop: () => void;

	constructor(tokens: TokenLife) {
		this.#tokens = tokens;
		this.#stop = tokens.onEnd((tokenId) => this.#end(tokenId));
	}

	/**
	 * Registers `end`, which is called once when the token becomes invalid, or immediately if the token is already
	 * invalid. Returns a function that cancels the registration.
	 */
	register({ tokenId }: Principal, end: () => void): () => void {
		if (tokenId === undefined) return () => undefined;
		if (!this.#tokens.counts(tokenId)) {
			end();
			return () => undefined;
		}
		const connections = this.#openConnections.get(tokenId) ?? new Set();
		this.#openConnections.set(tokenId, connections.add(end));
		return () => {
			connections.delete(end);
			if (connections.size === 0 && this.#openConnections.get(tokenId) === connections)
				this.#openConnections.delete(tokenId);
		};
	}

	close(): void {
		this.#stop();
	}

	#end(tokenId: string): void {
		const connections = this.#openConnections.get(tokenId) ?? [];
		this.#openConnections.delete(tokenId);
		for (const end of [...connections]) end();
	}
}
