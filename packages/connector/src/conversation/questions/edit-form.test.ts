import { expect, test } from "vitest";
import { editForm, readEdited } from "./edit-form.ts";

const limits = { fields: 5, name: 98, text: 4000 };

function fields(given: unknown): Record<string, string> {
	const form = editForm(given, limits);
	return Object.fromEntries(form?.fields.map(({ name, value = "" }) => [name, value]) ?? []);
}

test("each argument is a field: text unchanged, and any other value as JSON", () => {
	const form = editForm({ path: "a.txt", content: "one\ntwo", lines: [1, 2], all: true }, limits);
	expect(form).toMatchObject({
		title: "Edit and approve",
		fields: [
			{ name: "t:path", label: "path", value: "a.txt", required: false },
			{ name: "t:content", label: "content", value: "one\ntwo" },
			{ name: "j:lines", label: "lines (JSON)", value: "[\n  1,\n  2\n]", required: true },
			{ name: "j:all", label: "all (JSON)", value: "true" },
		],
	});
});

test.each<[string, unknown]>([
	["no arguments", {}],
	["more arguments than a form has fields", { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }],
	["an argument with a very long name", { ["a".repeat(99)]: 1 }],
	["an argument without a name", { "": 1 }],
])("%s are one field with JSON", (_, given) => {
	expect(Object.keys(fields(given))).toEqual(["arguments"]);
});

test.each<[string, unknown]>([
	["a text that is too long", { content: "a".repeat(4001) }],
	["many long texts", Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`a${n}`, "a".repeat(900)]))],
	["a hidden secret", { url: "https://a.b", header: "Bearer [redacted]" }],
	["a secret in the name of an argument", { "[redacted]": 1 }],
	["arguments that are no object", ["a"]],
])("%s has no form", (_, given) => {
	expect(editForm(given, limits)).toBeUndefined();
});

test.each<[string, unknown]>([
	["texts", { path: "a.txt", content: "one\n\ttwo" }],
	["spaces and line breaks around a text", { content: "\n  one\n\n" }],
	["only spaces", { content: " \n" }],
	["an empty text", { content: "" }],
	["invisible characters", { path: "a\u202eb.txt", content: "a\r\nb\u0000" }],
	["a backslash before a brace", { content: "\\u{61}" }],
	["values of all kinds", { a: null, b: -1.5, c: { d: ["\u202e"] }, e: false }],
	["many arguments", { a: 1, b: 2, c: 3, d: 4, e: 5, f: " 6 " }],
])("a form that is sent unchanged has the same arguments: %s", (_, given) => {
	const sent = Object.fromEntries(Object.entries(fields(given)).map(([name, text]) => [name, text.trim()]));
	expect(readEdited(sent, given)).toEqual({ arguments: given });
	expect(JSON.stringify(sent)).not.toMatch(/\u202e/u);
});

test("spaces around a changed text are preserved unless the person changes them", () => {
	const given = { content: "  one\n" };
	expect(readEdited({ "t:content": "two" }, given)).toEqual({ arguments: { content: "  two\n" } });
	expect(readEdited({ "t:content": "\ttwo" }, given)).toEqual({ arguments: { content: "\ttwo" } });
	expect(readEdited({ "t:content": "" }, given)).toEqual({ arguments: { content: "" } });
	expect(readEdited({ "t:content": "two" }, { content: 1 })).toEqual({ arguments: { content: "two" } });
});

test.each<[string, Record<string, string>, string]>([
	["a value that is no JSON", { "j:lines": "many" }, "`lines` is not JSON: “many”"],
	["a value with two equal keys", { "j:lines": '{"a":1,"a":2}' }, "`lines` is not JSON"],
	["arguments that are no JSON", { arguments: "path: a" }, "not a JSON object"],
	["arguments that are a list", { arguments: "[1]" }, "not a JSON object"],
	["a field that the form did not have", { other: "a" }, "is not JSON"],
])("%s is refused with the reason", (_, sent, problem) => {
	expect(readEdited(sent, {})).toEqual({ problem: expect.stringContaining(problem) });
});
