import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Ids } from "./ids.ts";

/** Kinds of tokens. A ticket opens one WebSocket. */
export const tokenKinds = ["operator", "observer", "connector", "ticket"] as const;
export type TokenTextKind = (typeof tokenKinds)[number];

export interface TokenText {
	readonly kind: TokenTextKind;
	/** Id of 26 characters. It is not secret. */
	readonly id: string;
	/** SHA-256 of the secret part. Parley stores the hash in place of the secret. */
	readonly hash: Buffer;
}

const shape = new RegExp(`^gw_(${tokenKinds.join("|")})_([0-9a-z]{26})_([\\w-]{43})([\\w-]{6})$`);

/**
 * Creates a token `gw_KIND_ID_SECRET` with a secret of 256 random bits. The last six characters of the token are a
 * checksum of the other characters.
 */
export function mintToken(kind: TokenTextKind, ids: Ids): string {
	const unsigned = `${ids.create(`gw_${kind}`)}_${randomBytes(32).toString("base64url")}`;
	return unsigned + checksum(unsigned);
}

/**
 * Reads a token. Returns undefined for text in another form, for example a typing error, a placeholder or an incomplete
 * token. Only the stored hash proves that a token and its kind are valid.
 */
export function readTokenText(text: string): TokenText | undefined {
	const [, found, id, secret] = shape.exec(text) ?? [];
	const kind = tokenKinds.find((known) => known === found);
	if (kind === undefined || id === undefined || secret === undefined) return undefined;
	if (!text.endsWith(checksum(text.slice(0, -6)))) return undefined;
	return { kind, id, hash: createHash("sha256").update(secret).digest() };
}

/**
 * Returns the kind in the prefix of a text, even if the token is invalid. Returns undefined if the text has
 * no prefix of a known kind.
 */
export function tokenKindOf(text: string): TokenTextKind | undefined {
	return tokenKinds.find((kind) => text.startsWith(`gw_${kind}_`));
}

function checksum(text: string): string {
	// base64url encodes four bytes as six characters.
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(crc32(text));
	return bytes.toString("base64url");
}
