import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LogFile, logFilesIn } from "./log-file.ts";
import { logOutput } from "./log-output.ts";

function linesIn(data: string): string[] {
	const { current, previous } = logFilesIn(data);
	const texts = [previous, current].map((file) => (existsSync(file) ? readFileSync(file, "utf8") : ""));
	return texts.join("").split("\n").slice(0, -1);
}

const place = () => mkdtempDisposable(join(tmpdir(), "parley-log-"));

test("the files have a limited size, keep the last lines, and are only for this user", async () => {
	await using data = await place();
	const log = new LogFile(data.path, { max: 100 });
	for (let line = 0; line < 50; line += 1) expect(log.write(`line ${line}`)).toBe(true);
	const { current, previous } = logFilesIn(data.path);
	expect(statSync(current).size).toBeLessThanOrEqual(100);
	expect(statSync(previous).size).toBeLessThanOrEqual(100);
	expect(statSync(current).mode & 0o777).toBe(0o600);
	const lines = linesIn(data.path);
	expect(lines.at(-1)).toBe("line 49");
	expect(lines.length).toBeGreaterThan(12);
	expect(lines).toEqual(lines.map((_, index) => `line ${50 - lines.length + index}`));
});

test("a later process continues the file", async () => {
	await using data = await place();
	new LogFile(data.path).write("one\n");
	new LogFile(data.path).write("two\n");
	expect(linesIn(data.path)).toEqual(["one", "two"]);
});

test("a line that cannot be written is lost, and the next one is written again", async () => {
	await using data = await place();
	writeFileSync(join(data.path, "run"), "");
	const log = new LogFile(data.path);
	expect(log.write("lost")).toBe(false);
	renameSync(join(data.path, "run"), join(data.path, "other"));
	expect(log.write("kept")).toBe(true);
	expect(linesIn(data.path)).toEqual(["kept"]);
});

test("a person at a terminal sees warnings, and the file also has the lines of info", async () => {
	await using data = await place();
	const shown: string[] = [];
	const terminal = { write: (line: string) => shown.push(line) };
	const { level, destination } = logOutput({
		data: data.path,
		level: "warn",
		terminal,
		onlyFile: false,
		environment: {},
	});
	expect(level).toBe("info");
	const lines = ['{"level":"info","msg":"a"}\n', '{"level":"warn","msg":"b"}\n', "    at main\n"];
	for (const line of lines) destination.write(line);
	expect(shown).toEqual(lines.slice(1));
	expect(readFileSync(logFilesIn(data.path).current, "utf8")).toBe(lines.join(""));
});

test("a silent log writes no file", async () => {
	await using data = await place();
	const { level } = logOutput({ data: data.path, level: "silent", onlyFile: true, environment: {} });
	expect(level).toBe("silent");
	expect(linesIn(data.path)).toEqual([]);
});
