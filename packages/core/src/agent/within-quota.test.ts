import { stat } from "node:fs/promises";
import { join } from "node:path";
import { createIds, systemClock } from "@parley/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { roomIn } from "../conversation/workspaces.ts";
import { createUnsandboxed } from "../sandbox/commands/unsandboxed.ts";
import { shellCommand } from "../testing/commands.ts";
import { createDirectory } from "../testing/tool-context.ts";
import type { Command } from "../vocabulary/sandbox.ts";
import { withinQuota } from "./calls/tool-context.ts";

const quota = 50_000;
const full = /\[the workspace is full: its limit is 50000 bytes; further writes and commands are refused/;

let directory: Awaited<ReturnType<typeof createDirectory>>;
beforeEach(async () => {
	directory = await createDirectory();
});
afterEach(() => directory[Symbol.asyncDispose]());

function run(line: string, options: Partial<Command> = {}) {
	const ids = createIds();
	const sandbox = createUnsandboxed({ environment: process.env, clock: systemClock, ids });
	const { path } = directory;
	const workspace = { path, quota, room: () => roomIn(path, quota) };
	return withinQuota(sandbox, workspace).run(shellCommand(line, path, options));
}

test("no file of a command is larger than the rest of the quota", async () => {
	await run("head -c 20000 /dev/zero >first");
	const { code, output } = await run("head -c 40000 /dev/zero >second");
	expect(code).not.toBe(0);
	expect(output).not.toMatch(full);
	const { size } = await stat(join(directory.path, "second"));
	expect(size).toBeGreaterThan(29_000);
	expect(size).toBeLessThanOrEqual(30_000);
});

test("the output of a command reports that its files exceed the quota, unless the command only reads", async () => {
	const { output, code } = await run("for n in 1 2 3; do head -c 20000 /dev/zero >$n; done; echo done");
	expect(code).toBe(0);
	expect(output).toMatch(/^done\n\n/);
	expect(output).toMatch(full);
	expect(await roomIn(directory.path, quota)).toBe(0);
	expect((await run("ls", { power: "read" })).output).toBe("1\n2\n3\n");
});

test("a reader of the output while the command runs gets the report too", async () => {
	let seen = "";
	const onOutput = (chunk: Uint8Array): void => {
		seen += Buffer.from(chunk).toString();
	};
	await run("for n in 1 2 3; do head -c 20000 /dev/zero >$n; done; echo done", { onOutput });
	expect(seen).toMatch(/^done\n\n/);
	expect(seen).toMatch(full);
});
