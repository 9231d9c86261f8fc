import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Ids } from "@parley/base";
import type { Principal } from "@parley/core";

/** What the gateway keeps of a token in memory: enough to recognise it, not enough to use it. */
export interface TokenRecord {
	readonly id: string;
	readonly hash: Buffer;
	readonly principal: Principal;
}

const SHAPE = /^gw_(operator)_([0-9a-z]{26})_([\w-]{43})([\w-]{6})$/;

/** A token of 256 random bits: `gw_operator_ID_SECRET`, the last six characters a checksum of all before. */
export function mintToken(kind: "operator", ids: Ids): string {
	const unsigned = `${ids.create(`gw_${kind}`)}_${randomBytes(32).toString("base64url")}`;
	return unsigned + checksum(unsigned);
}

/** The record by which `verifyToken` recognises a token; undefined when the text is none. */
export function tokenRecord(token: string, principal: Principal): TokenRecord | undefined {
	const parts = parseToken(token);
	return parts && { id: parts.id, hash: hash(parts.secret), principal };
}

/** Whether a text has the form of a token and its checksum is right. Whether it is valid, `verifyToken` says. */
export function isToken(text: string): boolean {
	return parseToken(text) !== undefined;
}

/** Whose token this is, or undefined. How long it takes tells nothing about the secrets that it is compared with. */
export function verifyToken(records: readonly TokenRecord[], token: string): Principal | undefined {
	const parts = parseToken(token);
	if (parts === undefined) return undefined;
	const presented = hash(parts.secret);
	const matching = records.filter(
		(record) => timingSafeEqual(record.hash, presented) && record.id === parts.id,
	);
	return matching[0]?.principal;
}

/** A typing error, a placeholder and a cut-off token fail here, before any secret is looked at. */
function parseToken(token: string): { id: string; secret: string } | undefined {
	const [, , id, secret] = SHAPE.exec(token) ?? [];
	if (id === undefined || secret === undefined) return undefined;
	return token.endsWith(checksum(token.slice(0, -6))) ? { id, secret } : undefined;
}

/** Four bytes make exactly six characters. */
function checksum(text: string): string {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(crc32(text));
	return bytes.toString("base64url");
}

function hash(secret: string): Buffer {
	return createHash("sha256").update(secret).digest();
}
