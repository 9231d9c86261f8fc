import { expect, test } from "vitest";
import { seal, unseal } from "./sealed-metadata.ts";

test("metadata is unsealed by its provider only", () => {
	const metadata = { openai: { itemId: "rs_1", reasoningEncryptedContent: "x", list: [1, null, true] } };
	const sealed = seal("acme", { of: "call", metadata });
	expect(unseal("acme", sealed)).toEqual({ of: "call", metadata });
	expect(unseal("other", sealed)).toBeUndefined();
});

test.each([undefined, {}, { openai: {} }])("the metadata %j is not sealed", (metadata) => {
	expect(seal("acme", { of: "text", metadata })).toBeUndefined();
});

test.each([
	undefined,
	"",
	"EqQBCgIYAhIM",
	"7",
	"null",
	'{"provider":"acme"}',
	'{"provider":"acme","of":"x","metadata":{}}',
])("the signature %j of another API is not unsealed", (text) => {
	expect(unseal("acme", text)).toBeUndefined();
});
