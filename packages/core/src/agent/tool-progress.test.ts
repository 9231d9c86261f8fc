import { Redactor } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ToolProgress } from "./calls/call-output.ts";

interface Piece {
	readonly text: string;
	readonly at: number;
}

function listening(...secrets: readonly string[]) {
	const clock = new ManualClock();
	const redactor = new Redactor();
	for (const secret of secrets) redactor.add(secret);
	const passed: Piece[] = [];
	let streams = 0;
	const progress = new ToolProgress({
		clock,
		redaction: () => {
			streams += 1;
			return redactor.stream();
		},
		pass: (text) => passed.push({ text, at: clock.monotonic() }),
	});
	const write = (text: string): void => progress.write(Buffer.from(text));
	return { clock, progress, passed, write, streams: () => streams };
}

const textOf = (passed: readonly Piece[]): string => passed.map(({ text }) => text).join("");

function maxPerSecond(passed: readonly Piece[]): number {
	return Math.max(
		...passed.map(({ at }) => passed.filter((one) => one.at >= at && one.at <= at + 1_000).length),
	);
}

test("a complete line is sent immediately, and an incomplete line waits for its end", () => {
	const { clock, passed, write } = listening();
	write("one\ntw");
	expect(passed).toEqual([{ text: "one\n", at: 0 }]);
	clock.advance(1_000);
	write("o");
	expect(passed).toHaveLength(1);
	clock.advance(1_000);
	write("\nthree");
	expect(passed.at(-1)?.text).toBe("two\n");
});

test("the rest of a line is sent when the call ends, and no output after that", () => {
	const { clock, progress, passed, write } = listening();
	write("no end");
	progress.end();
	write("late\n");
	progress.end();
	clock.advance(10_000);
	expect(textOf(passed)).toBe("no end");
});

test("a call without output causes no work", () => {
	const { progress, passed, streams } = listening();
	progress.end();
	expect(passed).toEqual([]);
	expect(streams()).toBe(0);
});

test("characters and line ends are the same for all chunk boundaries", () => {
	const text = "grün 🦜\r\n日本\r\nend\r\n";
	const bytes = Buffer.from(text);
	for (let size = 1; size <= bytes.length; size++) {
		const { clock, progress, passed } = listening();
		for (let at = 0; at < bytes.length; at += size) {
			progress.write(bytes.subarray(at, at + size));
			clock.advance(50);
		}
		progress.end();
		expect(textOf(passed)).toBe(text);
		for (const { text: lines } of passed) expect(lines).toMatch(/\r\n$/);
	}
});

test("half a character at the end of the output is sent as U+FFFD", () => {
	const { progress, passed } = listening();
	progress.write(Buffer.from("🦜").subarray(0, 2));
	progress.end();
	expect(textOf(passed)).toBe("\u{fffd}");
});

test("NUL is shown as in the result of the call", () => {
	const { clock, progress, passed, write } = listening();
	write("a\0b\n");
	write("\0");
	clock.advance(1_000);
	progress.end();
	expect(textOf(passed)).toBe("a\u{fffd}b\n\u{fffd}");
});

test("a secret is removed at all chunk boundaries, also after the last line", () => {
	const secret = "correct-horse-battery";
	const text = `key=${secret} done\n${secret}`;
	for (let size = 1; size <= text.length; size++) {
		const { clock, progress, passed, write } = listening(secret);
		for (let at = 0; at < text.length; at += size) {
			write(text.slice(at, at + size));
			clock.advance(200);
		}
		progress.end();
		// With small chunks, the first characters of a secret are sent before the redactor recognises the secret.
		expect(textOf(passed)).toMatch(/^key=(?:c|co|cor)?\[redacted\] done\n(?:c|co|cor)?\[redacted\]$/);
	}
});

test("fast lines are sent together, at most ten times a second, including the end of the call", () => {
	const { clock, progress, passed, write } = listening();
	const lines = Array.from({ length: 3_007 }, (_, n) => `line ${n}\n`);
	for (const line of lines) {
		write(line);
		clock.advance(1);
	}
	progress.end();
	expect(textOf(passed)).toBe(lines.join(""));
	expect(maxPerSecond(passed)).toBeLessThanOrEqual(10);
	expect(maxPerSecond(passed)).toBeGreaterThan(5);
});

test("the end of a flood of output is sent, with a marker, in bounded events", () => {
	const { clock, progress, passed } = listening("correct-horse-battery");
	const lines = Array.from(
		{ length: 200_000 },
		(_, n) => `${n} of many lines, grün, correct-horse-battery\n`,
	);
	const flood = Buffer.from(lines.join(""));
	expect(flood.length).toBeGreaterThan(9_000_000);
	const size = 65_521;
	for (let at = 0; at < flood.length; at += size) {
		progress.write(flood.subarray(at, at + size));
		clock.advance(10);
	}
	progress.end();
	expect(maxPerSecond(passed)).toBeLessThanOrEqual(10);
	for (const { text } of passed.slice(1)) {
		expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024);
		expect(text).toMatch(/^\[… \d+ bytes left out …\]\n\d+ of many lines/);
		expect(text).not.toContain("horse");
		expect(text).not.toContain("\u{fffd}");
	}
	expect(textOf(passed)).toMatch(/\n199999 of many lines, grün, \[redacted\]\n$/);
});

test("ten megabytes without a line end are bounded too", () => {
	const { clock, progress, passed } = listening();
	const chunk = Buffer.from("🦜".repeat(16_384));
	for (let n = 0; n < 160; n++) {
		progress.write(chunk);
		clock.advance(10);
	}
	expect(passed).toEqual([]);
	progress.end();
	const [only] = passed;
	expect(passed).toHaveLength(1);
	expect(Buffer.byteLength(only?.text ?? "")).toBeLessThanOrEqual(16 * 1024);
	expect(only?.text).toMatch(/^\[… \d+ bytes left out …\]\n🦜+$/u);
	const [, missing] = /… (\d+) bytes/.exec(only?.text ?? "") ?? [];
	const storedBytes = Buffer.byteLength(only?.text.slice(only.text.indexOf("\n") + 1) ?? "");
	expect(Number(missing) + storedBytes).toBe(160 * chunk.length);
});

test("a key whose beginning was skipped is not shown", () => {
	const { clock, progress, passed, write } = listening();
	write("begin\n");
	const body = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3\n";
	const filler = "just some words on a line\n";
	write(filler.repeat(6_000));
	write(`-----BEGIN RSA PRIVATE KEY-----\n${body.repeat(500)}`);
	write(`${body.repeat(100)}-----END RSA PRIVATE KEY-----\nafter\n`);
	clock.advance(120);
	progress.end();
	expect(textOf(passed)).toContain("after\n");
	expect(textOf(passed)).not.toContain("QUJDREVG");
});
