import { spawnSync } from "node:child_process";
import { link, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDirectory, createToolContext } from "../testing/tool-context.ts";
import type { ToolContext } from "../tool.ts";
import { executeCall, prepareCall, type ReadyCall } from "../tool-call.ts";
import { readFile } from "./read-file.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let context: ToolContext;

beforeAll(async () => {
	directory = await createDirectory();
	const cwd = join(directory.path, "work");
	await mkdir(join(cwd, "sub"), { recursive: true });
	await writeFile(join(cwd, "notes.txt"), "one\ntwo\nthree\n");
	await writeFile(join(directory.path, "outside.txt"), "outside\n");
	await symlink("../outside.txt", join(cwd, "link"));
	context = createToolContext(cwd);
});
afterAll(() => directory[Symbol.asyncDispose]());

async function prepare(args: object, where = context): Promise<ReadyCall> {
	const prepared = await prepareCall([readFile], { name: "read_file", arguments: args }, where);
	if (prepared.kind === "refused") throw new Error(prepared.text);
	return prepared;
}

async function read(args: object, where = context) {
	return executeCall(await prepare(args, where), where);
}

test("a file inside the roots is read without asking", async () => {
	const { plan } = await prepare({ path: "notes.txt" });
	expect(plan).toEqual({
		label: "read notes.txt",
		classes: ["read"],
		preview: "",
		binding: { path: join(context.cwd, "notes.txt") },
		grant: { kind: "path", tool: "read_file", root: context.cwd },
		notes: [],
	});
	expect(await read({ path: "notes.txt" })).toEqual({ text: "one\ntwo\nthree\n", failed: false });
});

test("a part of a file is read, and a marker tells how to go on", async () => {
	expect(await read({ path: "notes.txt", offset: 2, limit: 1 })).toEqual({
		text: "two\n[… more lines follow: go on with offset 3 …]",
		failed: false,
	});
	expect(await read({ path: "notes.txt", offset: 3 })).toEqual({ text: "three\n", failed: false });
	expect(await read({ path: "notes.txt", offset: 4 })).toEqual({
		text: '"notes.txt" has 3 lines; there is no line 4',
		failed: true,
	});
});

test("a long file is read in parts that join to the whole", async () => {
	const whole = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}\n`).join("");
	await writeFile(join(context.cwd, "long.txt"), whole);
	let [offset, text] = [1, ""];
	for (let part = 0; part < 3; part += 1) {
		const result = await read({ path: "long.txt", offset });
		text += result.text.replace(/\[… .*$/, "");
		offset = Number(/offset (\d+)/.exec(result.text)?.[1]);
	}
	expect(text).toBe(whole);
	expect(offset).toBeNaN();
});

test("at most 256 KiB are read, a longer line is cut with a marker", async () => {
	await writeFile(join(context.cwd, "wide.txt"), `${"x".repeat(300 * 1024)}\nnext\n`);
	const { text } = await read({ path: "wide.txt" });
	expect(text.slice(0, 256 * 1024)).toBe("x".repeat(256 * 1024));
	expect(text.slice(256 * 1024)).toBe(
		"\n[… the rest of line 1, which is longer than 256 KiB, left out; the next line is offset 2 …]",
	);
	expect((await read({ path: "wide.txt", offset: 2 })).text).toBe("next\n");
});

test("an empty file is said to be empty", async () => {
	await writeFile(join(context.cwd, "empty.txt"), "");
	expect(await read({ path: "empty.txt" })).toEqual({ text: "(empty file)", failed: false });
});

test("a binary file is reported and not dumped", async () => {
	await writeFile(join(context.cwd, "image.png"), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]));
	expect(await read({ path: "image.png" })).toEqual({
		text: 'read_file failed: "image.png" is a binary file of 7 bytes; only text is read',
		failed: true,
	});
});

test.each([
	["nothing.txt", 'cannot read "nothing.txt": there is no such file'],
	["sub", '"sub" is a directory'],
	[".", '"." is a directory'],
])("%s cannot be read", async (path, reason) => {
	expect(await read({ path })).toEqual({ text: `read_file failed: ${reason}`, failed: true });
});

test("pipes and devices are refused and not waited for", async () => {
	spawnSync("/bin/sh", ["-c", 'mkfifo "$0"', join(context.cwd, "pipe")]);
	expect(await read({ path: "pipe" })).toMatchObject({ text: expect.stringContaining("not a regular file") });
	expect(await read({ path: "/dev/zero" })).toMatchObject({
		text: expect.stringContaining("not a regular file"),
	});
});

test("a file outside of the roots is asked about, and a link inside does not hide it", async () => {
	for (const path of ["../outside.txt", "link", join(directory.path, "outside.txt")]) {
		const { plan } = await prepare({ path });
		expect(plan.classes).toEqual(["outside-read"]);
		expect(plan.label).toBe(`read ${join(directory.path, "outside.txt")}`);
		expect(plan.notes).toEqual([`outside of ${context.cwd}`]);
		expect(plan.grant).toBeUndefined();
	}
	expect(await read({ path: "link" })).toEqual({ text: "outside\n", failed: false });
});

test("a secret file is asked about, by its name and by what a link leads to", async () => {
	await writeFile(join(context.cwd, ".env"), "KEY=1\n");
	await symlink(".env", join(context.cwd, "harmless.txt"));
	await symlink("notes.txt", join(context.cwd, "server.pem"));
	for (const path of [".env", "harmless.txt", "server.pem"]) {
		const { plan } = await prepare({ path });
		expect(plan.classes, path).toEqual(["read", "secret"]);
		expect(plan.grant).toBeUndefined();
		expect(plan.notes).toEqual(["may hold keys or passwords"]);
	}
});

test("a forbidden path is refused before anybody is asked", async () => {
	const where = { ...context, forbidden: [join(directory.path, "outside.txt")] };
	await expect(prepare({ path: "link" }, where)).rejects.toThrow("no tool may touch");
});

test("another name of a file that belongs to the gateway is refused, other hard links are read", async () => {
	const data = join(directory.path, "data");
	await mkdir(join(data, "tokens"), { recursive: true });
	await writeFile(join(data, "tokens/operator"), "very private\n");
	await link(join(data, "tokens/operator"), join(context.cwd, "twin.txt"));
	await writeFile(join(context.cwd, "one.txt"), "ordinary\n");
	await link(join(context.cwd, "one.txt"), join(context.cwd, "two.txt"));
	const where = { ...context, forbidden: [data, join(directory.path, "nowhere")] };
	expect(await read({ path: "twin.txt" }, where)).toEqual({
		text: 'read_file failed: no tool may touch "twin.txt": it belongs to the gateway',
		failed: true,
	});
	expect(await read({ path: "two.txt" }, where)).toEqual({ text: "ordinary\n", failed: false });
});

test.runIf(process.platform === "linux")("what the system will not read is told in words", async () => {
	expect(await read({ path: "/proc/self/mem" })).toMatchObject({
		text: 'read_file failed: cannot read "/proc/self/mem": the device or the system could not read or write it',
	});
});

test("a path that leads elsewhere after it was decided about is not read", async () => {
	await writeFile(join(context.cwd, "swapped.txt"), "harmless\n");
	const ready = await prepare({ path: "swapped.txt" });
	await rm(join(context.cwd, "swapped.txt"));
	await symlink("../outside.txt", join(context.cwd, "swapped.txt"));
	expect(await executeCall(ready, context)).toEqual({
		text: "changed since it was approved: the path leads to another file",
		failed: true,
	});
});

test("a directory that became a link after it was decided about is not followed", async () => {
	await mkdir(join(context.cwd, "dir"));
	await writeFile(join(context.cwd, "dir/outside.txt"), "harmless\n");
	const ready = await prepare({ path: "dir/outside.txt" });
	await rename(join(context.cwd, "dir"), join(context.cwd, "moved"));
	await symlink("..", join(context.cwd, "dir"));
	expect(await executeCall(ready, context)).toMatchObject({ failed: true });
});

test("a hostile name is shown as what it is", async () => {
	await writeFile(join(context.cwd, "a\u{202e}txt.b"), "x");
	expect((await prepare({ path: "a\u{202e}txt.b" })).plan.label).toBe("read a\\u{202e}txt.b");
});

test("a call that was cancelled reads nothing more", async () => {
	const where = { ...context, signal: AbortSignal.abort() };
	expect(await read({ path: "notes.txt" }, where)).toEqual({
		text: "cancelled",
		failed: true,
	});
});
