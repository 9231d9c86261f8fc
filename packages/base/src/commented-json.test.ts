import { expect, test } from "vitest";
import { appendCommentedJson, editCommentedJson, parseCommentedJson } from "./commented-json.ts";

test("comments, trailing commas and a byte order mark are allowed", () => {
	const { values } = parseCommentedJson(
		"c.json",
		'\uFEFF// ours\n{ "auth": "token", /* one */ "root": ["a", "b",], }\n',
	);
	expect(values).toEqual({ auth: "token", root: ["a", "b"] });
});

test("each value is found again by line and column", () => {
	const text = '{\n\t"auth": "token",\r\n  "root": ["a",\n  "b"],\n"budgets": {"session":\n{"day": 5}}}';
	const { locate } = parseCommentedJson("/etc/c.json", text);
	expect(locate(["auth"])).toBe("/etc/c.json:2:10");
	expect(locate(["root"])).toBe("/etc/c.json:3:11");
	expect(locate(["root", 0])).toBe("/etc/c.json:3:12");
	expect(locate(["root", 1])).toBe("/etc/c.json:4:3");
	expect(locate(["budgets", "session", "day"])).toBe("/etc/c.json:6:9");
	expect(locate(["budgets", "session", "month"])).toBe("/etc/c.json:6:1");
});

test.each([
	["", "c.json:1:1: value expected"],
	["{", "c.json:1:2: close brace expected"],
	['{\n  "auth": "token"\n  "root": []\n}', "c.json:3:3: comma expected"],
	['{\n  "auth": tokn\n}', "c.json:2:11: invalid symbol"],
	['{ "auth": }', "c.json:1:11: value expected"],
	['{ auth: "token" }', "c.json:1:3: invalid symbol"],
	['{ "auth": "tok\n" }', "c.json:1:11: unexpected end of string"],
	["{} {}", "c.json:1:4: end of file expected"],
	["[]", "c.json:1:1: the file must contain one object"],
	["7", "c.json:1:1: the file must contain one object"],
	['{ "auth": "token",\n"auth": "none" }', "c.json:2:9: auth is set twice: remove one of the two"],
	['{ "a": { "b": { "c": 1,\n"c": 1 } } }', "c.json:2:6: a.b.c is set twice: remove one of the two"],
	[
		'{ "rules": [{}, { "effect": "deny",\n"effect": "allow" }] }',
		"c.json:2:11: rules.1.effect is set twice: remove one of the two",
	],
])("%j is refused with its place", (text, message) => {
	expect(() => parseCommentedJson("c.json", text)).toThrow(
		expect.objectContaining({ code: "invalid_argument", message: expect.stringContaining(message) }),
	);
});

test("lists and objects may be nested on 64 levels, and only they count", () => {
	const nested = (levels: number): string => `{ "a": ${"[".repeat(levels - 1)}${"]".repeat(levels - 1)} }`;
	expect(parseCommentedJson("c.json", nested(64)).values).toHaveProperty("a");
	for (const levels of [65, 4_000, 100_000]) {
		expect(() => parseCommentedJson("c.json", nested(levels))).toThrow(
			expect.objectContaining({
				code: "invalid_argument",
				message: "c.json: it has more than 64 levels of lists and objects: use fewer levels",
			}),
		);
	}
	const brackets = "[".repeat(10_000);
	const text = `{ /* ${brackets} */ "a": "${brackets}", "b": [${"[],".repeat(10_000)}] } // ${brackets}`;
	expect(parseCommentedJson("c.json", text).values).toMatchObject({ a: brackets });
});

test("an edit keeps comments and the format of the other lines", () => {
	const text = '{\n  // ours\n  "auth": "token", // strict\n  "root": ["a", "b",],\n}\n';
	expect(editCommentedJson(text, ["auth"], "local")).toBe(text.replace('"token"', '"local"'));
	expect(editCommentedJson(text, ["root"], ["c"])).toContain('  "auth": "token", // strict\n  "root": [\n');
	expect(editCommentedJson(text, ["auth"], undefined)).not.toContain("token");
});

test("an edit adds objects on the way to a value, with the indentation of the text", () => {
	expect(editCommentedJson("{}", ["budgets", "day"], 5)).toBe('{\n\t"budgets": {\n\t\t"day": 5\n\t}\n}');
	const spaced = editCommentedJson('{\n    "auth": "token"\n}\n', ["titles"], false);
	expect(spaced).toBe('{\n    "auth": "token",\n    "titles": false\n}\n');
	expect(editCommentedJson('{\r\n\t"auth": "token"\r\n}', ["titles"], true)).toContain(
		'"token",\r\n\t"titles": true\r\n}',
	);
});

const item = { effect: "allow", words: ["a", "b\nc"] };
const inline = '{ "effect": "allow", "words": [ "a", "b\\nc" ] }';

test.each([
	[
		'{\n  "rules": [\n    { "a": 1 }, // kept\n  ],\n}\n',
		`{\n  "rules": [\n    { "a": 1 }, // kept\n    ${inline},\n  ],\n}\n`,
	],
	[
		'{\n  "rules": [\n    { "a": 1 } // , kept\n  ]\n}\n',
		`{\n  "rules": [\n    { "a": 1 }, // , kept\n    ${inline}\n  ]\n}\n`,
	],
	[
		'{\r\n\t"rules": [\r\n\t\t{ "a": 1 }\r\n\t]\r\n}',
		`{\r\n\t"rules": [\r\n\t\t{ "a": 1 },\r\n\t\t${inline}\r\n\t]\r\n}`,
	],
	['{"rules":[{"a":1}]}', `{"rules":[{"a":1}, ${inline}]}`],
	['{"rules":[{"a":1} /* x */ , /* y */ ]}', `{"rules":[{"a":1} /* x */ , /* y */  ${inline}]}`],
	['{\n\t"rules": []\n}\n', `{\n\t"rules": [\n\t\t${inline}\n\t]\n}\n`],
	['{ "rules": [ // none\n] }', `{ "rules": [ // none\n\t${inline}\n] }`],
	['{ "rules": [{\n  "a": 1\n},\n] }', `{ "rules": [{\n  "a": 1\n},\n\t${inline},\n] }`],
])("a value is appended to the list of %j, and all other text stays", (text, expected) => {
	const appended = appendCommentedJson(text, ["rules"], item);
	expect(appended).toBe(expected);
	const before = parseCommentedJson("c.json", text).values["rules"];
	expect(parseCommentedJson("c.json", appended).values["rules"]).toEqual([
		...(Array.isArray(before) ? before : []),
		item,
	]);
});

test("a value is not appended without a list", () => {
	expect(() => appendCommentedJson("{}", ["rules"], item)).toThrow(
		"cannot append to rules: it is missing or not a list; add the list to the file",
	);
});
