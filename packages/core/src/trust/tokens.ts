import { ParleyError } from "@parley/base";
import { authorize } from "../authorize.ts";
import type { Principal } from "../principal.ts";
import type { Keyed } from "../session/idempotency.ts";
import type { TrustOptions } from "./trust.ts";

export type TokenKind = "operator" | "observer" | "connector";

/** A token without its secret. Times are milliseconds since the epoch. */
export interface TokenFacts {
	readonly id: string;
	readonly kind: TokenKind;
	readonly name: string;
	readonly platform?: string;
	readonly sessions?: readonly string[];
	readonly createdAt: number;
	readonly lastUsedAt?: number;
	readonly expiresAt?: number;
	readonly revokedAt?: number;
}

/** What a new token is to be. */
export interface NewToken {
	readonly kind: TokenKind;
	readonly name: string;
	readonly platform?: string;
	readonly tenants?: readonly string[];
	readonly sessions?: readonly string[];
	/** How long it counts, in milliseconds; for ever where absent. */
	readonly lifeMs?: number;
}

/** The tokens that were made at run time. The text of one is in the answer that made it, and nowhere else. */
export class Tokens {
	constructor(_options: TrustOptions) {}

	/** Learns what the database holds, before anybody is let in. */
	async load(): Promise<void> {}

	/** Whose token this text is at this moment; undefined for one that is unknown, expired or revoked. */
	verify(_text: string): Principal | undefined {
		return undefined;
	}

	/** Calls with the id of each token that counts no longer, until what is returned is called. */
	onEnd(_listener: (tokenId: string) => void): () => void {
		return () => undefined;
	}

	async create({ principal }: Keyed, _wanted: NewToken): Promise<{ text: string; facts: TokenFacts }> {
		authorize(principal, "token.manage");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async list(principal: Principal): Promise<readonly TokenFacts[]> {
		authorize(principal, "token.manage");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	/** The same rights under another secret; the old one counts for `graceMs` more. */
	async rotate(
		{ principal }: Keyed,
		_id: string,
		_graceMs: number,
	): Promise<{ text: string; facts: TokenFacts }> {
		authorize(principal, "token.manage");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async revoke({ principal }: Keyed, _id: string): Promise<TokenFacts> {
		authorize(principal, "token.manage");
		throw new ParleyError("not available", { code: "unimplemented" });
	}
}
