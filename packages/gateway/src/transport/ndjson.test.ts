import { setImmediate as tick } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { seededIds } from "@parley/base/testing";
import { expect, test } from "vitest";
import { type Line, LineReader } from "./ndjson.ts";

const mebibyte = 1024 * 1024;
const max = 16 * mebibyte;

function linesOf(chunks: readonly Buffer[], limit = max): Line[] {
	const reader = new LineReader(limit);
	const lines = chunks.flatMap((chunk) => [...reader.read(chunk)]);
	const last = reader.end();
	return last ? [...lines, last] : lines;
}

function texts(...lines: readonly string[]): Line[] {
	return lines.map((text) => ({ kind: "text", text }));
}

test.each([
	["", []],
	["\n", [""]],
	["a\nb\n", ["a", "b"]],
	["a\r\nb\r\n", ["a", "b"]],
	["a\n\n\r\nb", ["a", "", "", "b"]],
	["a\rb\n", ["a\rb"]],
	["a\r\r\n", ["a\r"]],
	["a\r", ["a"]],
	["ü😀\u2028\u0085\v\f\n", ["ü😀\u2028\u0085\v\f"]],
	["\uFEFFa\n", ["\uFEFFa"]],
	["a\0b\n", ["a\0b"]],
])("%j has the lines %j, completely and byte by byte", (text, expected) => {
	const bytes = Buffer.from(text);
	expect(linesOf([bytes])).toEqual(texts(...expected));
	expect(linesOf(Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(texts(...expected));
});

test("a line that is not UTF-8 is reported by its length, and the next line is read", () => {
	const bad = [[0xff], [0xc3], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80]];
	for (const bytes of bad) {
		const lines = linesOf([Buffer.from([0x7b, ...bytes, 0x0a]), Buffer.from("{}")]);
		expect(lines).toEqual([{ kind: "not-utf8", bytes: bytes.length + 1 }, ...texts("{}")]);
	}
});

test.each([
	["\n", max, "text"],
	["\r\n", max, "text"],
	["", max, "text"],
	["\n", max + 1, "oversized"],
	["\r\n", max + 1, "oversized"],
	["", max + 1, "oversized"],
])("with the end %j a line of %i bytes is %s", (end, bytes, kind) => {
	const bytesOfLine = Buffer.from(`${"x".repeat(bytes)}${end}{}\n`);
	const [line, next] = linesOf(end === "" ? [bytesOfLine.subarray(0, bytes)] : [bytesOfLine]);
	expect(line).toMatchObject(kind === "text" ? { kind } : { kind, bytes: expect.any(Number) });
	if (line?.kind === "text") expect(line.text).toHaveLength(bytes);
	expect(next).toEqual(end === "" ? undefined : texts("{}")[0]);
});

test("the bytes of a line that is too long are dropped", async () => {
	setFlagsFromString("--expose-gc");
	const collect: () => void = runInNewContext("gc");
	const bufferedBytes = async (): Promise<number> => {
		collect();
		await tick();
		return process.memoryUsage().arrayBuffers;
	};
	const reader = new LineReader(max);
	const before = await bufferedBytes();
	for (let count = 0; count < 25; count++) {
		expect([...reader.read(Buffer.alloc(4 * mebibyte, 0x78))]).toEqual([]);
	}
	// The garbage collector frees memory in the background, which takes longer on a busy machine.
	let more = (await bufferedBytes()) - before;
	for (let round = 0; round < 50 && more >= 8 * mebibyte; round++) more = (await bufferedBytes()) - before;
	expect(more).toBeLessThan(8 * mebibyte);
	expect([...reader.read(Buffer.from("\nok\n"))]).toEqual([
		{ kind: "oversized", bytes: 100 * mebibyte },
		...texts("ok"),
	]);
});

test("any split of the bytes returns the same lines", () => {
	const ids = seededIds(9);
	const drawn: number[] = [];
	const below = (limit: number): number => {
		if (drawn.length === 0) drawn.push(...Buffer.from(ids.uuid().replaceAll("-", ""), "hex"));
		return (drawn.pop() ?? 0) % limit;
	};
	const nothing = Buffer.alloc(0);
	const words = ["\n", "\r\n", "\r", "a", "ü", "😀", "xxxxxxx", '{"id":1}', " "];
	const pieces = [...words.map((word) => Buffer.from(word)), Buffer.of(0xff), Buffer.of(0xc3)];
	for (let round = 0; round < 500; round++) {
		const bytes = Buffer.concat(
			Array.from({ length: below(24) }, () => pieces.at(below(pieces.length)) ?? nothing),
		);
		const chunks: Buffer[] = [];
		for (let at = 0; at < bytes.length; ) {
			const length = 1 + below(9);
			chunks.push(bytes.subarray(at, at + length));
			at += length;
		}
		expect(linesOf(chunks, 10)).toEqual(linesOf([bytes], 10));
	}
});
