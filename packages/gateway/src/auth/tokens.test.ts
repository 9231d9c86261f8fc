import { createIds } from "@parley/base";
import { seededIds } from "@parley/base/testing";
import type { Principal } from "@parley/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isToken, mintToken, type TokenRecord, tokenRecord, verifyToken } from "./tokens.ts";

const ids = seededIds(1);
const operator: Principal = { id: "operator", kind: "operator" };

function mint(): { token: string; records: TokenRecord[] } {
	const token = mintToken("operator", ids);
	const record = tokenRecord(token, operator);
	return { token, records: record === undefined ? [] : [record] };
}

test("a token has its kind, an id, 256 bits and a checksum, and no two are alike", () => {
	const tokens = Array.from({ length: 200 }, () => mintToken("operator", createIds()));
	for (const token of tokens) expect(token).toMatch(/^gw_operator_[0-9a-z]{26}_[A-Za-z0-9_-]{49}$/);
	expect(new Set(tokens.map((token) => token.slice(39))).size).toBe(200);
});

test("each token finds its own principal", () => {
	const [one, other] = [mint(), mint()];
	expect(verifyToken([...one.records, ...other.records], other.token)).toBe(operator);
	expect(verifyToken(one.records, other.token)).toBeUndefined();
	expect(verifyToken([], one.token)).toBeUndefined();
});

test("what is kept of a token does not hold its secret", () => {
	const { token, records } = mint();
	const secret = token.slice(39);
	expect(records).toHaveLength(1);
	expect(JSON.stringify(records)).not.toContain(secret.slice(0, 43));
	expect(Buffer.concat(records.map(({ hash }) => hash)).toString("base64url")).not.toContain(
		secret.slice(0, 20),
	);
});

test.each(["", " ", "undefined", "null", "gw_operator_", "[redacted]", "changeme", "gw_operator_ID_SECRET"])(
	"%j is no token",
	(text) => {
		expect(isToken(text)).toBe(false);
		expect(verifyToken(mint().records, text)).toBeUndefined();
	},
);

test("a token with another id, kind or case, cut off or with something around it, is none", () => {
	const { token, records } = mint();
	const foreign = mint().token;
	for (const wrong of [
		token.slice(0, 39) + foreign.slice(39),
		foreign.slice(0, 39) + token.slice(39),
		token.replace("operator", "observer"),
		token.toUpperCase(),
		token.slice(0, -1),
		token.slice(0, -6),
		`${token}\n`,
		` ${token}`,
	]) {
		expect(verifyToken(records, wrong)).toBeUndefined();
	}
});

test("a token with any character changed is recognised by its checksum", () => {
	const { token } = mint();
	fc.assert(
		fc.property(fc.nat(token.length - 1), fc.constantFrom(..."aZ09_-"), (at, character) => {
			fc.pre(token.charAt(at) !== character);
			expect(isToken(token.slice(0, at) + character + token.slice(at + 1))).toBe(false);
		}),
	);
});
