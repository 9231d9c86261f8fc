import { spawnSync } from "node:child_process";
import {
	chmod,
	mkdir,
	writeFile as put,
	readdir,
	readFile as readText,
	rename,
	stat,
	symlink,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolContext, createWorkplace, readyCall } from "../../testing/tool-context.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { executeCall } from "../calls/tool-call.ts";
import { writeFile } from "./write-file.ts";

let directory: Awaited<ReturnType<typeof createWorkplace>>;
let context: ToolContext;

beforeEach(async () => {
	directory = await createWorkplace();
	await symlink("../outside", join(directory.cwd, "link"));
	context = createToolContext(directory.cwd);
});
afterEach(() => directory[Symbol.asyncDispose]());

const prepare = (args: object, where = context) => readyCall(writeFile, args, where);

async function write(path: string, content: string) {
	return executeCall(await prepare({ path, content }), context);
}

function contentOf(path: string): Promise<string> {
	return readText(join(context.cwd, path), "utf8");
}

test("a new file is planned with its diff and written with its directories", async () => {
	const ready = await prepare({ path: "a/b/new.txt", content: "one\ntwo\n" });
	expect(ready.plan).toEqual({
		label: "write a/b/new.txt",
		classes: ["write"],
		preview: "--- /dev/null\n+++ a/b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n",
		binding: { path: join(context.cwd, "a/b/new.txt"), before: "absent" },
		grant: { kind: "path", tool: "write_file", root: context.cwd },
		notes: ["creates a new file"],
		usualNotes: ["creates a new file"],
	});
	await expect(contentOf("a/b/new.txt")).rejects.toThrow("ENOENT");
	expect(await executeCall(ready, context)).toEqual({
		text: "wrote 8 bytes to a/b/new.txt (a new file)",
		failed: false,
	});
	expect(await contentOf("a/b/new.txt")).toBe("one\ntwo\n");
	expect(await readdir(join(context.cwd, "a/b"))).toEqual(["new.txt"]);
});

test("an existing file is replaced and keeps its permissions", async () => {
	await put(join(context.cwd, "run.sh"), "one\ntwo\n");
	await chmod(join(context.cwd, "run.sh"), 0o751);
	const { plan } = await prepare({ path: "run.sh", content: "one\n2\n" });
	expect(plan.preview).toBe("--- run.sh\n+++ run.sh\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
	expect(plan.notes).toEqual(["replaces a file of 8 bytes"]);
	expect(await write("run.sh", "one\n2\n")).toEqual({
		text: "wrote 6 bytes to run.sh (replaced 8 bytes)\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
		failed: false,
	});
	expect(await contentOf("run.sh")).toBe("one\n2\n");
	expect((await stat(join(context.cwd, "run.sh"))).mode & 0o777).toBe(0o751);
});

test.each([
	["a secret file", ".env", "KEY=old\n"],
	["a file outside the roots", "../outside/x", "old\n"],
	["a binary file", "x", "old\0"],
	["bytes that are not text", "x", Buffer.from([0xff, 0x0a])],
])("the result does not show the old content of %s", async (_name, path, old) => {
	await put(join(context.cwd, path), old);
	const { text } = await write(path, "new\n");
	expect(text).toMatch(/^wrote 4 bytes to \S+ \(replaced \d bytes\)$/);
});

test("a reader sees the complete old or new file", async () => {
	await put(join(context.cwd, "x"), "old");
	const before = await stat(join(context.cwd, "x"));
	await write("x", "new");
	expect((await stat(join(context.cwd, "x"))).ino).not.toBe(before.ino);
});

test.each<[string, string, (path: string) => unknown, string]>([
	["a directory", "x", (path) => mkdir(path), '"x" is a directory'],
	["a pipe", "x", (path) => spawnSync("/bin/sh", ["-c", 'mkfifo "$0"', path]), '"x" is not a regular file'],
	["a link to a directory", "x", (path) => symlink(".", path), '"x" is a directory'],
	["a link out of the roots", "x", (path) => symlink("../outside/x", path), "leads outside the roots"],
	["a path through a file", "x/y", (path) => put(path, ""), "a part of the path is a file"],
])("%s is refused", async (_name, path, makeX, reason) => {
	await makeX(join(context.cwd, "x"));
	await expect(prepare({ path, content: "" })).rejects.toThrow(reason);
});

test("a link out of the roots is refused by the path inside, and the real path requires approval", async () => {
	await expect(prepare({ path: "link/x", content: "" })).rejects.toThrow(
		`"link/x" leads outside the roots by a symbolic link: use the path ${JSON.stringify(join(directory.path, "outside/x"))}`,
	);
	const { plan } = await prepare({ path: "../outside/x", content: "a" });
	expect(plan).toMatchObject({
		label: `write ${join(directory.path, "outside/x")}`,
		classes: ["outside-write"],
		notes: ["creates a new file", `outside of ${context.cwd}`],
	});
	expect(plan.grant).toBeUndefined();
	await expect(prepare({ path: "../outside/new/x", content: "" })).rejects.toThrow(
		"its directory does not exist and is outside the roots",
	);
});

test("files of keys and control files require approval", async () => {
	await put(join(context.cwd, ".env"), "KEY=old\n");
	const secret = await prepare({ path: ".env", content: "KEY=new\n" });
	expect(secret.plan.classes).toEqual(["write", "secret"]);
	expect(secret.plan.preview).toContain("+KEY=new");
	expect(secret.plan.preview).not.toContain("KEY=old");
	const control = await prepare({ path: ".git/hooks/pre-commit", content: "#!/bin/sh\n" });
	expect(control.plan.classes).toEqual(["write", "control"]);
	expect(control.plan.grant).toBeUndefined();
	expect(control.plan.notes).toEqual(["creates a new file", "can change what later commands do"]);
	expect((await prepare({ path: ".envrc", content: "" })).plan.classes).toEqual([
		"write",
		"secret",
		"control",
	]);
});

test("a forbidden path is refused", async () => {
	const where = { ...context, forbidden: [join(directory.path, "outside")] };
	await expect(prepare({ path: "link/x", content: "" }, where)).rejects.toThrow("tools may not access");
});

test("a file that changed since the approval is not overwritten", async () => {
	await put(join(context.cwd, "x"), "old");
	const ready = await prepare({ path: "x", content: "new" });
	await put(join(context.cwd, "x"), "somebody else's");
	expect(await executeCall(ready, context)).toEqual({
		text: "changed since it was approved: the file has other content now; the file was not written, so repeat the call",
		failed: true,
	});
	expect(await contentOf("x")).toBe("somebody else's");
});

test("a file that appeared after the approval is not overwritten", async () => {
	const ready = await prepare({ path: "x", content: "new" });
	await put(join(context.cwd, "x"), "");
	expect(await executeCall(ready, context)).toMatchObject({ failed: true });
	expect(await contentOf("x")).toBe("");
});

test("a directory that was replaced by a link after the approval is not followed", async () => {
	await mkdir(join(context.cwd, "dir"));
	const ready = await prepare({ path: "dir/x", content: "new" });
	await rename(join(context.cwd, "dir"), join(context.cwd, "moved"));
	await symlink("../outside", join(context.cwd, "dir"));
	expect(await executeCall(ready, context)).toEqual({
		text: "changed since it was approved: the path leads to another file; the file was not written, so repeat the call",
		failed: true,
	});
	expect(await readdir(join(directory.path, "outside"))).toEqual([]);
});

test("temporary files of an interrupted run of the same call are deleted", async () => {
	// The name contains a hash of the session and the call of the context above.
	await put(join(context.cwd, ".parley-3d7df6aa975dccc0.tmp"), "left");
	await write("x", "new");
	expect(await readdir(context.cwd)).toEqual(["link", "x"]);
});

test.skipIf(process.getuid?.() === 0)("a file without permission to write is refused", async () => {
	await put(join(context.cwd, "x"), "", { mode: 0o444 });
	await expect(prepare({ path: "x", content: "" })).rejects.toThrow('cannot write "x": permission denied');
});

test("content above 256 KiB is refused", async () => {
	await expect(prepare({ path: "x", content: "é".repeat(131_073) })).rejects.toThrow(
		"the content has 262146 bytes, and at most 262144 can be written at once: write several smaller files, or append the parts with a command",
	);
});

test("invisible characters are visible in the label and the preview, and written unchanged", async () => {
	const { plan } = await prepare({ path: "a\u{202e}b", content: "x\u{200b}\n" });
	expect(plan.label).toBe("write a\\u{202e}b");
	expect(plan.preview).toContain("+++ a\\u{202e}b\n");
	expect(plan.preview).toContain("+x\\u{200b}\n");
	await write("a\u{202e}b", "x\u{200b}\n");
	expect(await contentOf("a\u{202e}b")).toBe("x\u{200b}\n");
});
