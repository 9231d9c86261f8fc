import {
	chmod,
	link,
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
import { editFile } from "./edit-file.ts";

let directory: Awaited<ReturnType<typeof createWorkplace>>;
let context: ToolContext;

beforeEach(async () => {
	directory = await createWorkplace();
	await symlink("../outside", join(directory.cwd, "link"));
	context = createToolContext(directory.cwd);
});
afterEach(() => directory[Symbol.asyncDispose]());

const prepare = (args: object, where = context) => readyCall(editFile, args, where);

async function edit(args: object) {
	return executeCall(await prepare(args), context);
}

function putFile(path: string, content: string | Buffer): Promise<void> {
	return put(join(context.cwd, path), content);
}

function contentOf(path: string): Promise<string> {
	return readText(join(context.cwd, path), "utf8");
}

test("an edit is planned with its diff and written in place", async () => {
	await putFile("beans.txt", "one\ntwo\nthree\n");
	const ready = await prepare({ path: "beans.txt", old_text: "two\n", new_text: "2\n2b\n" });
	expect(ready.plan).toEqual({
		label: "edit beans.txt",
		classes: ["write"],
		preview: "--- beans.txt\n+++ beans.txt\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three\n",
		binding: { path: join(context.cwd, "beans.txt"), before: expect.stringMatching(/^[0-9a-f]{64}$/) },
		grant: { kind: "path", tool: "edit_file", root: context.cwd },
		notes: ["changes one place, line 2"],
		usualNotes: ["changes one place, line 2"],
	});
	expect(await contentOf("beans.txt")).toBe("one\ntwo\nthree\n");
	expect(await executeCall(ready, context)).toEqual({
		text: "edited beans.txt: one place, line 2\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n+2b\n three",
		failed: false,
	});
	expect(await contentOf("beans.txt")).toBe("one\n2\n2b\nthree\n");
	expect(await readdir(context.cwd)).toEqual(["beans.txt", "link"]);
});

test("line ends, byte order mark and permissions are preserved", async () => {
	await putFile("run.sh", "\u{feff}one\r\ntwo\r\n");
	await chmod(join(context.cwd, "run.sh"), 0o751);
	await edit({ path: "run.sh", old_text: "one\ntwo", new_text: "1\n2" });
	expect(await contentOf("run.sh")).toBe("\u{feff}1\r\n2\r\n");
	expect((await stat(join(context.cwd, "run.sh"))).mode & 0o777).toBe(0o751);
});

test("a text that occurs several times must be made unique", async () => {
	const args = { path: "x", old_text: "a", new_text: "b" };
	await putFile("x", "a\na\nc\na\n");
	await expect(prepare(args)).rejects.toThrow(
		"old_text occurs 3 times (lines 1, 2, 4): add lines around it, or set occurrence or replace_all",
	);
	await expect(prepare({ ...args, occurrence: 4 })).rejects.toThrow(
		"old_text occurs 3 times (lines 1, 2, 4): there is no occurrence 4; use a number from 1 to 3",
	);
	await edit({ ...args, occurrence: 2 });
	expect(await contentOf("x")).toBe("a\nb\nc\na\n");
	expect(await edit({ ...args, replace_all: true })).toMatchObject({
		text: expect.stringMatching(
			/^edited x: 2 places, lines 1, 4\n@@ -1,4 \+1,4 @@\n-a\n b\n\+b\n c\n-a\n\+b$/,
		),
	});
	expect(await contentOf("x")).toBe("b\nb\nc\nb\n");
	await putFile("x", "a\n".repeat(12));
	expect(await edit({ ...args, replace_all: true })).toMatchObject({
		text: expect.stringMatching(/^edited x: 12 places, lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more\n@@/),
	});
});

test("a missing text returns the nearest lines", async () => {
	await putFile("x.ts", "if (a) {\n\treturn b;\n}\n");
	await expect(prepare({ path: "x.ts", old_text: "    return b;\n}", new_text: "" })).rejects.toThrow(
		'old_text is not in "x.ts"; line 2 is indented with 1 tab, not with 4 spaces. The most similar lines are 2 to 3; use their exact text:\n\treturn b;\n}',
	);
	await expect(prepare({ path: "x.ts", old_text: "quite other words", new_text: "" })).rejects.toThrow(
		'old_text is not in "x.ts", and the file has no similar line: read the file again',
	);
	await putFile("empty", "");
	await expect(prepare({ path: "empty", old_text: "x", new_text: "" })).rejects.toThrow(
		'old_text is not in "empty", which is empty: write its complete content',
	);
});

test("long nearest lines are cut", async () => {
	await putFile("x", "}\n".repeat(100));
	const requested = { path: "x", old_text: `${"}\n".repeat(50)}y`, new_text: "" };
	await expect(prepare(requested)).rejects.toThrow(/\n(?:\}\n){20}\[… cut …\]$/);
	await putFile("x", `beans ${"x".repeat(10_000)}`);
	const long = { path: "x", old_text: ` beans ${"x".repeat(10_000)}`, new_text: "" };
	await expect(prepare(long)).rejects.toThrow(/\nbeans x{3994}\n\[… cut …\]$/);
});

test.each<[string, object, string]>([
	["the same text", { old_text: "a", new_text: "a" }, "so the file would not change: change new_text"],
	["no old text", { old_text: "", new_text: "a" }, "old_text"],
	[
		"an occurrence together with all of them",
		{ old_text: "a", new_text: "b", occurrence: 1, replace_all: true },
		"exclude each other",
	],
	["an occurrence of 0", { old_text: "a", new_text: "b", occurrence: 0 }, "occurrence"],
	["an unknown argument", { old_text: "a", new_text: "b", regex: true }, 'unknown argument "regex"'],
])("%s is refused", async (_name, args, reason) => {
	await putFile("x", "a");
	await expect(prepare({ path: "x", ...args })).rejects.toThrow(reason);
});

test.each<[string, string | Buffer | undefined, string]>([
	["no file", undefined, 'cannot edit "x": the file does not exist; use write_file to create it'],
	["a binary file", "a\0b", 'cannot edit "x": it is a binary file: change it with a command'],
	[
		"other bytes than UTF-8",
		Buffer.from([0x61, 0xff]),
		'cannot edit "x": it is not UTF-8 text: change it with a command',
	],
	[
		"a large file",
		"a".repeat(256 * 1024 + 1),
		'cannot edit "x": it has 262145 bytes, and at most 262144 can be edited: change it with a command',
	],
])("%s is refused", async (_name, content, reason) => {
	if (content !== undefined) await putFile("x", content);
	await expect(prepare({ path: "x", old_text: "a", new_text: "b" })).rejects.toThrow(reason);
});

test("a file cannot grow beyond the limit for edits", async () => {
	await putFile("x", "a".repeat(200_000));
	const args = { path: "x", old_text: "a", new_text: "bb", replace_all: true };
	await expect(prepare(args)).rejects.toThrow(
		'"x" would become longer than the maximum of 262144 characters',
	);
});

test.each([
	["a directory", ".", '"." is a directory'],
	["a link out of the roots", "link/x", "leads outside the roots"],
	["a NUL", "x\0", "contains a null character"],
	["a path of the gateway", "../data/x", "tools may not access"],
])("%s is refused", async (_name, path, reason) => {
	await put(join(directory.path, "outside/x"), "a");
	const where = { ...context, forbidden: [join(directory.path, "data")] };
	await expect(prepare({ path, old_text: "a", new_text: "b" }, where)).rejects.toThrow(reason);
});

test("a hard link to a file of the gateway is refused before any of its content is shown", async () => {
	await mkdir(join(directory.path, "data"));
	await put(join(directory.path, "data/token"), "gw_secret");
	await link(join(directory.path, "data/token"), join(context.cwd, "twin"));
	const where = { ...context, forbidden: [join(directory.path, "data")] };
	await expect(prepare({ path: "twin", old_text: "gw_secre", new_text: "" }, where)).rejects.toThrow(
		/^tools may not access "twin": it belongs to the gateway; use another path$/,
	);
});

test("neither the content of a key file nor the result of a guess is revealed", async () => {
	await putFile(".env", "KEY=hunter2\nB=1\n");
	const guesses = ["KEY=hunter2", "KEY=hunter3"].map((old_text) => ({
		path: ".env",
		old_text,
		new_text: "KEY=x",
	}));
	for (const guess of guesses) {
		const { plan } = await prepare(guess);
		expect(plan.classes).toEqual(["write", "secret"]);
		expect(plan.grant).toBeUndefined();
		expect(plan.preview).toContain(`-${guess.old_text}\n`);
		expect(plan.preview).toContain("+KEY=x\n");
		expect(plan.preview).not.toContain("B=1");
	}
	const [right, wrong] = guesses;
	expect(await edit(wrong ?? {})).toEqual({
		text: 'edit_file failed: old_text is not in ".env": read the file again',
		failed: true,
	});
	expect(await edit(right ?? {})).toMatchObject({ failed: false });
	expect(await contentOf(".env")).toBe("KEY=x\nB=1\n");
});

test("an edit outside the roots requires approval, and no content is shown before", async () => {
	const path = join(directory.path, "outside/x");
	await put(path, "one\ntwo\ntwo\n");
	const { plan } = await prepare({ path: "../outside/x", old_text: "one", new_text: "1" });
	expect(plan).toMatchObject({
		label: `edit ${path}`,
		classes: ["outside-write"],
		notes: ["changes one place, line 1", `outside of ${context.cwd}`],
	});
	expect(plan.preview).toContain("-one\n+1\n");
	for (const old_text of ["three", "two"]) {
		const guess = { path: "../outside/x", old_text, new_text: "1" };
		expect((await prepare(guess)).plan).toMatchObject({
			preview: "(the file would not change)",
			notes: ["perhaps the file does not contain the text", `outside of ${context.cwd}`],
		});
		expect((await edit(guess)).text).not.toMatch(/lines? \d/);
	}
	expect(await readText(path, "utf8")).toBe("one\ntwo\ntwo\n");
});

test("the result of an edit has no line of a private file", async () => {
	const path = join(directory.path, "outside/x");
	await put(path, "one\nprivate\n");
	const outside = await edit({ path: "../outside/x", old_text: "one", new_text: "1" });
	expect(outside).toEqual({ text: "edited ../outside/x: one place, line 1", failed: false });
	await putFile(".env", "A=1\nB=private\n");
	expect(await edit({ path: ".env", old_text: "A=1", new_text: "A=2" })).toEqual({
		text: "edited .env: one place, line 1",
		failed: false,
	});
});

test("control files require approval despite any grant", async () => {
	await mkdir(join(context.cwd, ".git/hooks"), { recursive: true });
	await putFile(".git/hooks/pre-commit", "#!/bin/sh\n");
	const { plan } = await prepare({ path: ".git/hooks/pre-commit", old_text: "sh", new_text: "bash" });
	expect(plan.classes).toEqual(["write", "control"]);
	expect(plan.grant).toBeUndefined();
	expect(plan.notes).toContain("can change what later commands do");
});

test("a file that changed since the approval is not overwritten", async () => {
	await putFile("x", "old\n");
	const ready = await prepare({ path: "x", old_text: "old", new_text: "new" });
	await putFile("x", "old\nand somebody else's\n");
	expect(await executeCall(ready, context)).toEqual({
		text: "changed since it was approved: the file has other content now; the file was not written, so repeat the call",
		failed: true,
	});
	expect(await contentOf("x")).toBe("old\nand somebody else's\n");
});

test("a directory that was replaced by a link after the approval is not followed", async () => {
	await mkdir(join(context.cwd, "dir"));
	await putFile("dir/x", "old");
	await put(join(directory.path, "outside/x"), "old");
	const ready = await prepare({ path: "dir/x", old_text: "old", new_text: "new" });
	await rename(join(context.cwd, "dir"), join(context.cwd, "moved"));
	await symlink("../outside", join(context.cwd, "dir"));
	expect(await executeCall(ready, context)).toMatchObject({ failed: true });
	expect(await readText(join(directory.path, "outside/x"), "utf8")).toBe("old");
});

test("names that look like options or contain invisible characters are ordinary names", async () => {
	for (const name of ["-rf", "a b", "$(id)", "b\u{202e}ad", "new\nline"]) {
		await putFile(name, "old");
		expect(await edit({ path: name, old_text: "old", new_text: "new" })).toMatchObject({ failed: false });
		expect(await contentOf(name)).toBe("new");
	}
	await putFile("b\u{202e}ad", "old");
	const { plan } = await prepare({
		path: "b\u{202e}ad",
		old_text: "old",
		new_text: "n\u{200b}ew p\u{430}th",
	});
	expect(plan.label).toBe("edit b\\u{202e}ad");
	expect(plan.preview).toContain("+n\\u{200b}ew");
	expect(plan.notes).toContain('mixes letters of different scripts: "p\u{430}th"');
});
