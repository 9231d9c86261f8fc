import { expect, test } from "vitest";
import { decodeCommand, idOfLine } from "./codec.ts";

const deep = `${"[".repeat(70)}${"]".repeat(70)}`;

test.each<[line: string, id: string | number]>([
	['{"id":"p","type":"prompt","message":"\\ud800"}', "p"],
	['{"type":"prompt","id":7,"message":"\\ud800"}', 7],
	[`{"id":"p","type":"prompt","message":${deep}}`, "p"],
	[` { "type" : "prompt" , "allow" : true , "n" : -1.5e3 , "id" : "p" , "message" : ${deep} }`, "p"],
	['{"message":"\\"id\\": 1, \\ud800","id":"p"}', "p"],
	['{"id":"a \\"quoted\\" \\u00fc","message":"\\ud800"}', 'a "quoted" ü'],
	['{"id":-7,"message":"\\ud800"}', -7],
	['{"id":"p","type":"prompt"', "p"],
])("an invalid line is answered with the id at its beginning: %s", (line, id) => {
	expect(idOfLine(line)).toBe(id);
	expect(decodeCommand(line)).toMatchObject({
		kind: "refused",
		response: { id, command: "", error: expect.stringMatching(/^malformed json: /) },
	});
});

test.each([
	"",
	"{",
	"not json",
	'{"id":"p',
	'{"id":"p"',
	'{"id":7',
	'"id":"p","type":"ping"',
	'[{"id":"p","type":"ping"},{',
	'{"args":{"id":"p","type":"ping"},',
	`{"message":${deep},"id":"p"}`,
	'{"id":"\\ud800","type":"ping"}',
	'{"id":"a\\q","type":"ping"}',
	'{"id":true,"message":"\\ud800"}',
	'{"id":9007199254740993,"message":"\\ud800"}',
	'{"id":01,"message":"\\ud800"}',
	`{"id":"${"x".repeat(1_025)}","message":"\\ud800"}`,
	`{"message":"${"x".repeat(10_000)}\\ud800","id":"p"}`,
	'\uFEFF{"id":"p","type":"ping"}',
])("an id that is not readable at the start of a line is left out: %s", (line) => {
	expect(idOfLine(line)).toBeUndefined();
});

test("only the beginning of a line is searched", () => {
	for (const part of ['"a":1,', '"a\\\\":"', '{"id":', "\\", '"', " ", '"id" :', "{"]) {
		expect(idOfLine(`{${part.repeat(1_000_000)}`)).toBeUndefined();
	}
});
