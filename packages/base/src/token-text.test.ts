import { expect, test } from "vitest";
import { fc } from "../../../test/properties.ts";
import { createIds } from "./ids.ts";
import { Redactor } from "./redactor.ts";
import { mintToken, readTokenText, tokenKindOf, tokenKinds } from "./token-text.ts";

const ids = createIds();
const idAt = "gw_operator_".length;

test.each(tokenKinds)("a token contains its kind %s, an id, 256 bits and a checksum", (kind) => {
	const tokens = Array.from({ length: 100 }, () => mintToken(kind, ids));
	for (const token of tokens) {
		expect(token).toMatch(new RegExp(`^gw_${kind}_[0-9a-z]{26}_[A-Za-z0-9_-]{49}$`));
		expect(readTokenText(token)).toMatchObject({ kind, id: token.slice(4 + kind.length, 30 + kind.length) });
		expect(tokenKindOf(token)).toBe(kind);
	}
	expect(new Set(tokens.map((token) => readTokenText(token)?.hash.toString("hex"))).size).toBe(100);
});

test("the stored part of a token does not contain its secret", () => {
	const token = mintToken("operator", ids);
	const secret = token.slice(idAt + 27, -6);
	expect(secret).toHaveLength(43);
	const { hash } = readTokenText(token) ?? {};
	expect(hash).toHaveLength(32);
	expect(hash?.toString("base64url")).not.toContain(secret.slice(0, 20));
});

test.each([
	"",
	" ",
	"undefined",
	"null",
	"[redacted]",
	"changeme",
	"true",
	"{}",
	"gw_operator_",
	"gw_operator_ID_SECRET",
	"$PARLEY_TOKEN",
	"Bearer",
	"gw__",
	"gw_admin_0_0",
])("%j is not a token", (text) => {
	expect(readTokenText(text)).toBeUndefined();
});

test("a text with another id, kind or case, cut off or with extra characters, is not a token", () => {
	const token = mintToken("operator", ids);
	const foreign = mintToken("operator", ids);
	for (const wrong of [
		token.slice(0, idAt + 27) + foreign.slice(idAt + 27),
		foreign.slice(0, idAt + 27) + token.slice(idAt + 27),
		...["observer", "connector", "ticket", "agent"].map((kind) => token.replace("operator", kind)),
		token.toUpperCase(),
		token.slice(0, -1),
		token.slice(0, -6),
		`${token}\n`,
		` ${token}`,
	]) {
		expect(readTokenText(wrong)).toBeUndefined();
	}
});

test("the checksum detects any changed character of a token", () => {
	const token = mintToken("connector", ids);
	fc.assert(
		fc.property(fc.nat(token.length - 1), fc.constantFrom(..."aZ09_-"), (at, character) => {
			fc.pre(token.charAt(at) !== character);
			expect(readTokenText(token.slice(0, at) + character + token.slice(at + 1))).toBeUndefined();
		}),
	);
});

test.each(tokenKinds)("a token for an %s is removed from every text, registered or not", (kind) => {
	const token = mintToken(kind, ids);
	const redactor = new Redactor();
	for (const text of [token, `x ${token} y`, `"${token}"`, `parley.ticket.${token}`, token.slice(0, -9)]) {
		expect(redactor.redact(text)).not.toContain(token.slice(idAt, -9));
	}
	const stream = redactor.stream();
	const pieces = [...`before ${token} after`].map((character) => stream.push(character));
	expect(pieces.join("") + stream.end()).toMatch(/^before (?:gw_)?\[redacted\] after$/);
});
