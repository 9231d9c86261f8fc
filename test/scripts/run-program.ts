import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

/** Runs a program, and returns the JSON that the program prints. */
export function runProgram(program: string, args: readonly string[] = []): unknown {
	const directory = mkdtempSync(join(tmpdir(), "parley-memory-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const file = join(directory, "program.mjs");
	writeFileSync(file, program);
	const { NODE_OPTIONS: _, MALLOC_ARENA_MAX: _arenas, ...env } = process.env;
	const { status, stdout, stderr } = spawnSync(process.execPath, [...args, file], { encoding: "utf8", env });
	expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
	return JSON.parse(stdout);
}
