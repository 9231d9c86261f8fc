import { expect, test } from "vitest";
import { ParleyError } from "./errors.ts";
import { parseJson } from "./json.ts";
import { createLogger, type LogLevel, logLevels, StderrWriter, silentLogger } from "./log.ts";
import { Redactor } from "./redactor.ts";
import { MemoryLogger } from "./testing/memory-logger.ts";

function logTo(level: LogLevel) {
	const lines: unknown[] = [];
	const redactor = new Redactor();
	const destination = { write: (line: string) => lines.push(parseJson(line)) };
	return { lines, redactor, log: createLogger({ level, destination, redactor }) };
}

test("a line contains level, ISO time, message and fields, but no data about the machine", () => {
	const { lines, log } = logTo("info");
	log.info("listening", { port: 3000 });
	expect(lines).toEqual([
		{
			level: "info",
			time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
			msg: "listening",
			port: 3000,
		},
	]);
});

test("the log reports the number of lost lines when there is room again", () => {
	const written: string[] = [];
	let room = true;
	const write = (bytes: Buffer): number => {
		if (!room) throw Object.assign(new Error("full"), { code: "EAGAIN" });
		written.push(bytes.toString());
		return bytes.length;
	};
	const destination = new StderrWriter({ write, pause: () => undefined });
	const log = createLogger({ level: "info", destination, redactor: new Redactor() });
	for (const [message, there] of [
		["a", true],
		["b", false],
		["c", false],
		["d", true],
	] as const) {
		room = there;
		log.info(message);
	}
	expect(written.map((line) => parseJson(line))).toMatchObject([
		{ msg: "a" },
		{ msg: "d" },
		{ level: "warn", lost: 2 },
	]);
});

test.each(logLevels.map((level, index) => [level, logLevels.slice(index, -1)] as const))(
	"%s logs %j",
	(level, expected) => {
		const { lines, log } = logTo(level);
		log.debug("x");
		log.info("x");
		log.warn("x");
		log.error("x");
		expect(lines).toEqual(expected.map((each) => expect.objectContaining({ level: each })));
	},
);

test("no secret gets through, in the message, in fields, in errors or in the fields of a child", () => {
	const { lines, redactor, log } = logTo("debug");
	const child = log.child({ token: "hunter2" }).child({ session: "s" });
	redactor.add("hunter2");
	const cause = new Error("hunter2 inside");
	const error = new ParleyError("hunter2 outside", { code: "unavailable", cause });
	child.error("failed with hunter2", { error, err: error, nested: { list: ["hunter2"] } });
	expect(JSON.stringify(lines)).not.toContain("hunter2");
	const shown = {
		type: "ParleyError",
		message: "[redacted] outside",
		code: "unavailable",
		stack: expect.any(String),
		cause: { type: "Error", message: "[redacted] inside", stack: expect.any(String) },
	};
	expect(lines).toEqual([
		expect.objectContaining({
			msg: "failed with [redacted]",
			token: "[redacted]",
			session: "s",
			error: shown,
			err: shown,
		}),
	]);
});

test("a memory logger stores the lines of its children", () => {
	const log = new MemoryLogger();
	log.child({ session: "s" }).warn("slow", { ms: 5 });
	expect(log.records).toEqual([{ level: "warn", message: "slow", fields: { session: "s", ms: 5 } }]);
});

test("the silent logger has silent children", () => {
	expect(silentLogger.child({ a: 1 })).toBe(silentLogger);
});
