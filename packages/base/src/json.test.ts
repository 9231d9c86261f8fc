import { expect, test } from "vitest";
import { fc } from "../../../test/properties.ts";
import { ParleyError } from "./errors.ts";
import { duplicateKey, parseJson } from "./json.ts";

function refusal(text: string, limits?: Parameters<typeof parseJson>[1]): string {
	try {
		parseJson(text, limits);
	} catch (error) {
		if (error instanceof ParleyError && error.code === "invalid_argument") return error.message;
		throw error;
	}
	return "accepted";
}

test("a document within the limits equals the result of JSON.parse", () => {
	const documents = fc
		.jsonValue({ maxDepth: 8, noUnicodeString: false })
		.map((value) => JSON.stringify(value));
	fc.assert(
		fc.property(documents, (text) => {
			// Separate tests cover keys that access a prototype.
			fc.pre(!text.includes("__proto__"));
			expect(parseJson(text)).toEqual(JSON.parse(text));
		}),
	);
});

test("arbitrary text is parsed or refused as invalid, never anything else", () => {
	const pieces = fc.constantFrom(
		"{",
		"}",
		"[",
		"]",
		",",
		":",
		'"',
		"\\",
		'"a"',
		"1",
		"1e999",
		"null",
		" ",
		"\\u",
	);
	const text = fc.oneof(
		fc.string({ unit: "binary" }),
		fc.array(pieces).map((parts) => parts.join("")),
	);
	fc.assert(
		fc.property(text, (candidate) => {
			expect(
				["accepted", "text is not JSON"].includes(refusal(candidate)) || /contains/.test(refusal(candidate)),
			).toBe(true);
		}),
		{ numRuns: 2000 },
	);
});

test("the number of values is counted exactly", () => {
	const count = (value: unknown): number =>
		typeof value === "object" && value !== null
			? Object.values(value).reduce((sum: number, item) => sum + count(item), 1)
			: 1;
	fc.assert(
		fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1), (value, indent) => {
			const text = JSON.stringify(value, null, indent);
			fc.pre(!text.includes("__proto__"));
			const nodes = count(value);
			expect(refusal(text, { maxNodes: nodes })).toBe("accepted");
			expect(refusal(text, { maxNodes: nodes - 1 })).toBe(`JSON text contains more than ${nodes - 1} values`);
		}),
	);
});

test("nesting is limited before anything is built", () => {
	expect(refusal("[".repeat(64) + "]".repeat(64))).toBe("accepted");
	expect(refusal("[".repeat(65) + "]".repeat(65))).toBe(
		"JSON text contains more than 64 levels of lists and objects",
	);
	expect(refusal('{"a":'.repeat(200_000))).toBe(
		"JSON text contains more than 64 levels of lists and objects",
	);
});

test.each([
	['"[[[[["', "brackets in a string"],
	['"\\"[[["', "an escaped quote"],
	['"[\\\\"', "an escaped backslash before the end"],
	['{"[[[":"]]]"}', "brackets in a key"],
])("%s does not count as nesting: %s", (text) => {
	expect(parseJson(text, { maxDepth: 1 })).toEqual(JSON.parse(text));
});

test.each([
	["1e999", "JSON text contains a number that is too large"],
	['{"a":[-1e999]}', "JSON text contains a number that is too large"],
	['"\\ud800"', "JSON text contains a string with a lone surrogate"],
	['{"\\udc00":1}', "JSON text contains a string with a lone surrogate"],
	['"\ud800"', "JSON text contains a string with a lone surrogate"],
	['{"__proto__":{"admin":true}}', 'JSON text contains the key "__proto__"'],
	['[{"a":{"\\u005f_proto__":1}}]', 'JSON text contains the key "__proto__"'],
	[
		'{"constructor":{"prototype":{}}}',
		'JSON text contains the key "constructor" whose object has the key "prototype"',
	],
	["", "text is not JSON"],
	["{", "text is not JSON"],
	['{"a":1}}', "text is not JSON"],
	["\ufeff1", "text is not JSON"],
])("%j is refused", (text, message) => {
	expect(refusal(text)).toBe(message);
});

test.each([
	['{"a":1,"a":2}', "a"],
	['{"a":1,"\\u0061":2}', "a"],
	['[{"b":[{"a":"x"},{"a":"y"}]},{"b":{"a":{},"a":"}"}}]', "a"],
	['{"a":"\\"a\\":","b c":1,"d":{"b c":2},"b c":3}', "b c"],
])("%s is refused if keys must be unique", (text, key) => {
	expect(refusal(text)).toBe("accepted");
	expect(refusal(text, { uniqueKeys: true })).toBe(`JSON text contains the key "${key}" twice in one object`);
});

test("a text that JSON.stringify makes has unique keys", () => {
	fc.assert(
		fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1), (value, indent) => {
			expect(duplicateKey(JSON.stringify(value, null, indent))).toBeUndefined();
		}),
	);
});

test("a constructor key with another value is data", () => {
	expect(parseJson('{"constructor":"Frank Lloyd Wright"}')).toEqual({ constructor: "Frank Lloyd Wright" });
});
