import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Ids } from "./ids.ts";

/** What a token is for. A ticket opens one WebSocket. */
export const tokenKinds = ["operator", "observer", "connector", "ticket"] as const;
export type TokenTextKind = (typeof tokenKinds)[number];

/** What the text of a token says. */
export interface TokenText {
	readonly kind: TokenTextKind;
	/** 26 characters that are no secret. */
	readonly id: string;
	/** sha256 of the secret part: what is kept instead of it. */
	readonly hash: Buffer;
}

const shape = new RegExp(`^gw_(${tokenKinds.join("|")})_([0-9a-z]{26})_([\\w-]{43})([\\w-]{6})$`);

/** A token of 256 random bits: `gw_KIND_ID_SECRET`, the last six characters a checksum of all before. */
export function mintToken(kind: TokenTextKind, ids: Ids): string {
	const unsigned = `${ids.create(`gw_${kind}`)}_${randomBytes(32).toString("base64url")}`;
	return unsigned + checksum(unsigned);
}

/**
 * Reads the text of a token, or undefined where it has not the form of one: a typing error, a placeholder and a cut-off
 * token fail here. Whether somebody made it, its kind included, only the kept hash tells.
 */
export function readTokenText(text: string): TokenText | undefined {
	const [, found, id, secret] = shape.exec(text) ?? [];
	const kind = tokenKinds.find((known) => known === found);
	if (kind === undefined || id === undefined || secret === undefined) return undefined;
	if (!text.endsWith(checksum(text.slice(0, -6)))) return undefined;
	return { kind, id, hash: createHash("sha256").update(secret).digest() };
}

/** The kind that a text begins like, well-formed or not; undefined for any other text. */
export function tokenKindOf(text: string): TokenTextKind | undefined {
	return tokenKinds.find((kind) => text.startsWith(`gw_${kind}_`));
}

/** Four bytes make exactly six characters. */
function checksum(text: string): string {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(crc32(text));
	return bytes.toString("base64url");
}
