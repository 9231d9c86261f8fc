import { seededIds } from "@parley/base/testing";
import { expect, test } from "vitest";
import { decodeCommand, failure } from "./codec.ts";
import { commands } from "./schema.ts";

const png = { mime_type: "image/png", data: "iVBORw0KGgo=" };
const webp = base64("52494646000000005745425056503820");
const jpeg = base64("ffd8ffe000104a464946");
const image = (mime_type: string, data: string) =>
	JSON.stringify({ type: "prompt", images: [{ mime_type, data }] });

function base64(hex: string): string {
	return Buffer.from(hex, "hex").toString("base64");
}

/** Commands with their sent fields, and with their decoded fields if these differ. Type and id are omitted. */
const read: readonly (readonly [type: keyof typeof commands, fields: object, read?: object])[] = [
	["hello", {}],
	["hello", { token: "secret" }],
	["hello", { token: null }],
	["prompt", { message: "a" }],
	["prompt", { message: "" }],
	["prompt", { message: null, images: [png] }],
	["prompt", { message: "a", images: null }],
	["prompt", { message: "a", images: [png, { mime_type: "image/webp", data: webp }] }],
	[
		"prompt",
		{
			images: [
				{ ...png, data: "iVBO\r\nRw0K\nGgo=\r\n" },
				{ mime_type: "image/jpg", data: jpeg },
			],
		},
		{ images: [png, { mime_type: "image/jpeg", data: jpeg }] },
	],
	["abort", {}],
	["compact", {}],
	["get_state", {}],
	["get_messages", {}],
	["clear", {}],
	["set_model", { model: "fast" }],
	["set_reasoning", { reasoning: "off" }],
	["set_reasoning", { reasoning: "NONE" }, { reasoning: "off" }],
	["set_reasoning", { reasoning: "minimal" }, { reasoning: "low" }],
	["set_reasoning", { reasoning: "Maximum" }, { reasoning: "max" }],
	["get_models", {}],
	["ping", {}],
	["ping", { more: [1] }, {}],
	["queue", {}],
	["cancel_queued", { request_id: "1" }],
	["cancel_queued", { request_id: 1 }],
	["approve", { allow: true }],
	["approve", { ask: "ask-1", allow: false, reason: "no", remember_tool: true, remember_all: false }],
	["approve", { ask: null, allow: false, reason: null, remember_tool: null, remember_all: null }],
];

const rows = read.map(([type, fields, expected = fields]) => ({ type, fields, expected }));

test.each(rows)("$type with $fields is read", ({ type, fields, expected }) => {
	for (const id of ["1", 7, undefined]) {
		const line = JSON.stringify({ id, ...fields, type });
		expect(decodeCommand(line)).toEqual({ kind: "command", command: { type, id, ...expected } });
	}
	expect(decodeCommand(JSON.stringify({ type, id: null, ...fields }))).toMatchObject({
		command: { id: undefined },
	});
});

test("every command has a row", () => {
	expect(new Set(read.map(([type]) => type))).toEqual(new Set(Object.keys(commands)));
});

test.each([
	["", "", /^malformed json: /],
	["{", "", /^malformed json: /],
	["[]", "", "malformed json: a line must contain one object"],
	["null", "", "malformed json: a line must contain one object"],
	['"ping"', "", "malformed json: a line must contain one object"],
	["{}", "", "type: is missing: add this field"],
	['{"type":1}', "", "type: must be a string"],
	['{"type":"fly"}', "fly", "unknown command"],
	['{"type":"toString"}', "toString", "unknown command"],
	['{"type":"hello","token":1}', "hello", /^token: /],
	['{"type":"prompt","message":1}', "prompt", "message: must be a string"],
	['{"type":"prompt","images":{}}', "prompt", "images: must be a list"],
	['{"type":"prompt","images":[{}]}', "prompt", "images[0].mime_type: is missing: add this field"],
	[
		image("image/tiff", png.data),
		"prompt",
		"images[0].mime_type: must be one of image/png, image/jpeg, image/gif, image/webp",
	],
	[image("image/png", "%"), "prompt", "images[0].data: must be base64"],
	[image("image/png", "iVBO Rw0KGgo="), "prompt", "images[0].data: must be base64"],
	[image("image/jpg", png.data), "prompt", "images[0].data: not a JPEG"],
	[image("image/png", ""), "prompt", "images[0].data: not a PNG"],
	[image("image/jpeg", png.data), "prompt", "images[0].data: not a JPEG"],
	[image("image/gif", webp), "prompt", "images[0].data: not a GIF"],
	[image("image/webp", png.data), "prompt", "images[0].data: not a WebP"],
	[image("image/webp", base64("524946460000000057415645")), "prompt", "images[0].data: not a WebP"],
	['{"type":"set_model"}', "set_model", /^model: /],
	[
		'{"type":"set_reasoning","reasoning":"much"}',
		"set_reasoning",
		/^reasoning: must be one of off, none, minimal,/,
	],
	[
		JSON.stringify({ type: "set_model", model: "m".repeat(1_025) }),
		"set_model",
		"model: is too long: use at most 1,024 characters",
	],
	['{"type":"set_reasoning","reasoning":"toString"}', "set_reasoning", /^reasoning: /],
	['{"type":"cancel_queued"}', "cancel_queued", "request_id: is missing: add this field"],
	['{"type":"cancel_queued","request_id":[]}', "cancel_queued", "request_id: must be a string or a number"],
	['{"type":"cancel_queued","request_id":null}', "cancel_queued", /^request_id: /],
	['{"type":"approve"}', "approve", /^allow: /],
	['{"type":"approve","allow":"yes"}', "approve", "allow: must be true or false"],
	['{"type":"approve","allow":true,"ask":1}', "approve", /^ask: /],
	['{"type":"ping","id":true}', "ping", "id: must be a string or a number"],
	[
		'{"type":"ping","id":9007199254740993}',
		"ping",
		"id: must be from -(2^53 - 1) to 2^53 - 1: send other numbers as strings",
	],
	['{"type":"ping","id":-1e300}', "ping", /^id: must be from -\(2\^53 - 1\) to/],
])("%s is refused", (line, command, error) => {
	const refused = { type: "response", command, success: false };
	const expected = typeof error === "string" ? error : expect.stringMatching(error);
	expect(decodeCommand(line)).toEqual({ kind: "refused", response: { ...refused, error: expected } });
	if (!line.startsWith('{"') || line.includes('"id"')) return;
	const named = decodeCommand(`{"id":"ü",${line.slice(1)}`);
	expect(named).toEqual({ kind: "refused", response: { ...refused, id: "ü", error: expected } });
});

test("the repeated part of a long line is short, and well-formed at its cut", () => {
	const name = `${"x".repeat(99)}${"😀".repeat(1_000_000)}`;
	const decoded = decodeCommand(JSON.stringify({ type: name, id: 1 }));
	expect(decoded).toMatchObject({ kind: "refused", response: { id: 1, error: "unknown command" } });
	const line = JSON.stringify(decoded);
	expect(line.length).toBeLessThan(300);
	expect(line).not.toContain("\\ud83d");
	const response = failure({ id: 1, type: "set_model" }, `no model "${"y".repeat(1_000_000)}"`);
	expect(JSON.stringify(response).length).toBeLessThan(2_200);
});

test("names have a maximum length, and a longer id is not repeated", () => {
	const longest = "x".repeat(1_024);
	for (const [type, name] of [
		["ping", "id"],
		["set_model", "model"],
		["cancel_queued", "request_id"],
	] as const) {
		const line = (value: string) => JSON.stringify({ type, id: "1", [name]: value });
		expect(decodeCommand(line(longest))).toMatchObject({ kind: "command" });
		const { kind, ...refused } = decodeCommand(line(`${longest}x`));
		expect(kind).toBe("refused");
		expect(JSON.stringify(refused)).not.toContain(longest);
	}
});

test("a message that is too long for a line is refused", () => {
	const max = 15 * 1024 * 1024;
	const kindOf = (message: string) => decodeCommand(JSON.stringify({ type: "prompt", message })).kind;
	expect(kindOf("x".repeat(max - 2))).toBe("command");
	expect(kindOf("x".repeat(max - 1))).toBe("refused");
	expect(kindOf('"'.repeat(max / 2))).toBe("refused");
	expect(kindOf("€".repeat(max / 3))).toBe("refused");
});

function* anything(seed: number, count: number): Generator<string> {
	const ids = seededIds(seed);
	let bytes: number[] = [];
	const below = (limit: number): number => {
		if (bytes.length === 0) bytes = [...Buffer.from(ids.uuid().replaceAll("-", ""), "hex")];
		return (bytes.pop() ?? 0) % limit;
	};
	const words = ["type", "id", "message", "images", "data", "mime_type", "allow", "ask", "request_id"];
	const names = [...words, ...Object.keys(commands), "image/png", "", "\u0000", "😀"];
	const value = (depth: number): unknown => {
		const kind = below(depth > 3 ? 5 : 7);
		if (kind === 5) return Array.from({ length: below(4) }, () => value(depth + 1));
		if (kind === 6) return fields(depth + 1);
		return [null, true, below(9) - 4.5, names[below(names.length)], "aGk="][kind];
	};
	const fields = (depth: number): object =>
		Object.fromEntries(
			Array.from({ length: below(6) }, () => [names[below(names.length)] ?? "", value(depth)]),
		);
	const types = Object.keys(commands);
	for (let at = 0; at < count; at++) {
		const full = below(4) === 0 ? value(0) : { ...fields(0), type: types[below(types.length)] };
		const text = JSON.stringify(full);
		yield below(5) === 0 ? text.slice(0, below(text.length + 1)) : text;
	}
}

test("any line is a command or gets one response, without an exception", () => {
	const kinds = { command: 0, refused: 0 };
	for (const line of anything(4, 5_000)) {
		const decoded = decodeCommand(line);
		kinds[decoded.kind] += 1;
		if (decoded.kind === "command") expect(Object.keys(commands)).toContain(decoded.command.type);
		else {
			const { type, success: ok, command } = decoded.response;
			expect([type, ok, typeof command]).toEqual(["response", false, "string"]);
		}
	}
	expect(kinds.command).toBeGreaterThan(500);
	expect(kinds.refused).toBeGreaterThan(500);
});
