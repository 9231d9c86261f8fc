import { execFileSync } from "node:child_process";
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { readOperatorCommand, runOperatorCommand } from "./operator-command.ts";

const environment = { PATH: process.env["PATH"] ?? "", LC_ALL: "C" };

function shell(script: string, more: { onLine?(line: string): void; signal?: AbortSignal } = {}) {
	return runOperatorCommand({ command: "sh", args: ["-c", script], environment, ...more });
}

test("a command returns its exit code, its output and its errors", async () => {
	expect(await shell("echo out; echo err >&2; exit 3")).toEqual({
		code: 3,
		output: "out\n",
		errors: "err\n",
	});
});

test("lines are passed on while the command runs, until the signal ends it", async () => {
	const controller = new AbortController();
	const lines: string[] = [];
	const onLine = (line: string): void => {
		lines.push(line);
		if (lines.length === 2) controller.abort();
	};
	const { code } = await shell("echo one; echo two; exec sleep 100", { onLine, signal: controller.signal });
	expect({ code, lines }).toEqual({ code: 143, lines: ["one", "two"] });
});

test("a command gets no input and only its environment", async () => {
	const { output } = await shell('cat; echo end; test -z "$HOME" && echo none');
	expect(output).toBe("end\nnone\n");
});

test("a missing program is not found", async () => {
	const missing = runOperatorCommand({ command: "no-such-program", args: [], environment });
	await expect(missing).rejects.toMatchObject({ code: "not_found" });
});

test("a directory that does not exist rejects with the reason", async () => {
	const lost = runOperatorCommand({ command: "sh", args: [], environment, cwd: "/no/such/directory" });
	await expect(lost).rejects.toThrow("ENOENT");
});

function readShell(
	script: string,
	limits: { readonly maxBytes?: number; readonly signal?: AbortSignal } = {},
) {
	const { maxBytes = 100, signal = new AbortController().signal } = limits;
	return readOperatorCommand({ command: "sh", args: ["-c", script], environment }, { maxBytes, signal });
}

test("the bytes of an output are read unchanged, up to a limit", async () => {
	expect(await readShell("printf '\\000\\377'; echo err >&2; exit 3")).toEqual({
		code: 3,
		bytes: Buffer.from([0, 255]),
	});
	expect((await readShell("cat /dev/zero")).bytes).toBeUndefined();
});

test("the command does not wait for a program that ignores the signal, nor for child processes that keep the output open", async () => {
	const signal = AbortSignal.timeout(100);
	const { code, bytes } = await readShell("trap '' TERM; sleep 3 & sleep 100", { signal });
	expect({ code, bytes }).toEqual({ code: 137, bytes: undefined });
});

test("the processes that a program has started end with it at a limit", async () => {
	const directory = mkdtempSync(join(tmpdir(), "parley-read-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const pipe = join(directory, "running");
	execFileSync("mkfifo", [pipe]);
	// The pipe ends when no process has it open.
	const left = text(createReadStream(pipe));
	const { bytes } = await readShell(`exec 9> '${pipe}'; echo 1 >&9; sleep 300 & cat /dev/zero`);
	expect(bytes).toBeUndefined();
	expect(await left).toBe("1\n");
});
