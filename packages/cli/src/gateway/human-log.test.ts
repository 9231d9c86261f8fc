import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { formatLogLine } from "./human-log.ts";

const plain = createStyles(false);

test("prints a log record as one line", () => {
	const line = '{"level":"warn","time":"2026-01-01T12:34:56.789Z","port":7777,"msg":"slow client"}';
	expect(formatLogLine(line, plain)).toBe("12:34:56 warn  slow client  port=7777");
});

test("prints the message of an error without control characters", () => {
	const error = { type: "Error", message: "no\u001b[2J\nspace", stack: "at x" };
	const line = JSON.stringify({ level: "error", time: "2026-01-01T00:00:00.000Z", error, msg: "failed" });
	expect(formatLogLine(line, plain)).toBe("00:00:00 error failed  error=no\\u{1b}[2J\\nspace");
});

test("prints output that is not JSON without control characters", () => {
	expect(formatLogLine("    at \u001b[2Jmain", plain)).toBe("    at \\u{1b}[2Jmain");
});

test("prints errors in red", () => {
	const line = '{"level":"error","time":"2026-01-01T00:00:00.000Z","msg":"failed"}';
	expect(formatLogLine(line, createStyles(true))).toContain("\u001b[31merror failed\u001b[39m");
});

test("prints a record of another program, whatever types its fields have, without control characters", () => {
	const object = { toString: 1 };
	const error = { message: object };
	expect(formatLogLine(JSON.stringify({ level: 30, time: object, msg: object, error }), plain)).toBe(
		' 30    {"toString":1}  error={"message":{"toString":1}}',
	);
	expect(formatLogLine('{"level":"\\u001b[2J","msg":"a"}', plain)).toBe(" \\u{1b}[2J a");
});
