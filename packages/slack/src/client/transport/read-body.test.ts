import { expect, test } from "vitest";
import { readBody } from "./http-transport.ts";

const form = "application/x-www-form-urlencoded";

test("an event is JSON, a command a form, an interaction JSON in a form", () => {
	expect(readBody('{"type":"event_callback"}', "application/json")).toEqual({ type: "event_callback" });
	expect(readBody("command=%2Fparley&text=ask+me", form)).toEqual({ command: "/parley", text: "ask me" });
	const payload = encodeURIComponent('{"type":"block_actions"}');
	expect(readBody(`payload=${payload}`, `${form}; charset=utf-8`)).toEqual({ type: "block_actions" });
});

test.each([
	["no JSON", "{", "application/json"],
	["a list", "[]", "application/json"],
	["nothing", "null", "application/json"],
	["a trap", '{"__proto__":{"a":1}}', "application/json"],
	["a payload that is no JSON", "payload=%7B", form],
	["too deep", `${"[".repeat(500)}${"]".repeat(500)}`, "application/json"],
])("%s is refused", (_, text, contentType) => {
	expect(() => readBody(text, contentType)).toThrow();
});
