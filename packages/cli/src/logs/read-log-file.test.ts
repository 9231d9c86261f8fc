import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@parley/base";
import { expect, test } from "vitest";
import { LogFile } from "../gateway/log-file.ts";
import { matches } from "./log-line.ts";
import { followLogFile, readLogFile } from "./read-log-file.ts";

const place = () => mkdtempDisposable(join(tmpdir(), "parley-log-"));

test("both files are read, oldest first", async () => {
	await using data = await place();
	expect(await readLogFile(data.path)).toEqual([]);
	const log = new LogFile(data.path, { max: 20 });
	for (const line of ["one", "two", "three", "four", "five"]) log.write(line);
	expect(await readLogFile(data.path)).toEqual(["one", "two", "three", "four", "five"]);
});

test("following passes each line once, also when the file is replaced", async () => {
	await using data = await place();
	const log = new LogFile(data.path, { max: 200 });
	for (let line = 0; line < 5; line += 1) log.write(`line ${line}`);
	const controller = new AbortController();
	const seen: string[] = [];
	const onLine = (line: string): void => {
		seen.push(line);
		if (seen.length === 5) for (let next = 5; next < 40; next += 1) log.write(`line ${next}`);
		if (line === "line 39") controller.abort();
	};
	await followLogFile(data.path, { clock: systemClock, signal: controller.signal, onLine });
	// Two files were filled between two checks, so some lines may be missing.
	expect(new Set(seen).size).toBe(seen.length);
	expect(seen.at(-1)).toBe("line 39");
});

test("following loses no line if the file is replaced while the older lines are read", async () => {
	await using data = await place();
	const log = new LogFile(data.path, { max: 20 });
	for (const line of ["one", "two", "three", "four", "five"]) log.write(line);
	const controller = new AbortController();
	const seen: string[] = [];
	const onLine = (line: string): void => {
		seen.push(line);
		if (line === "one") log.write("the sixth, longer line");
		if (line === "the sixth, longer line") controller.abort();
	};
	const onOlder = (): void => void seen.push("(older lines end)");
	await followLogFile(data.path, { clock: systemClock, signal: controller.signal, onLine, onOlder });
	expect(seen.slice(0, 5)).toEqual(["one", "two", "three", "four", "five"]);
	expect(new Set(seen.slice(5))).toEqual(new Set(["(older lines end)", "the sixth, longer line"]));
});

test.each([
	['{"level":"info","time":"2026-01-01T00:00:00.000Z","msg":"a"}', {}, true],
	['{"level":"info","time":"2026-01-01T00:00:00.000Z","msg":"a"}', { level: "warn" as const }, false],
	['{"level":"error","time":"2026-01-01T00:00:00.000Z","msg":"a"}', { level: "warn" as const }, true],
	['{"level":"error","time":"2026-01-01T00:00:00.000Z","msg":"a"}', { since: Date.UTC(2026, 0, 2) }, false],
	["    at main", { level: "error" as const, since: Date.UTC(2026, 0, 2) }, true],
	['{"level":3,"time":{"toString":1},"msg":"of another program"}', { since: Date.UTC(2026, 0, 2) }, true],
	["{ not JSON", { level: "error" as const }, true],
])("%s with %j is shown: %s", (text, filter, shown) => {
	expect(matches({ text }, filter)).toBe(shown);
});

test("lines of JSON without a time get the time of the journal", () => {
	expect(matches({ text: '{"msg":"a"}', time: 1000 }, { since: 2000 })).toBe(false);
});

test("messages of the service manager have its level and time", () => {
	const line = { text: "Started Parley.", level: "info" as const, time: 1000 };
	expect(matches(line, { level: "warn" })).toBe(false);
	expect(matches(line, { since: 2000 })).toBe(false);
	expect(matches(line, { since: 500 })).toBe(true);
});
