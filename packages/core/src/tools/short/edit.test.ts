import { chmod, mkdir, writeFile as put, readdir, readFile as readText, stat } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDirectory, createToolContext } from "../../testing/tool-context.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { executeCall, prepareCall, type ReadyCall } from "../calls/tool-call.ts";
import { edit } from "./edit.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
let context: ToolContext;

beforeEach(async () => {
	directory = await createDirectory();
	const cwd = join(directory.path, "work");
	await mkdir(join(directory.path, "outside"));
	await mkdir(cwd);
	context = createToolContext(cwd);
});
afterEach(() => directory[Symbol.asyncDispose]());

function plan(path: string, ...edits: readonly object[]) {
	return prepareCall([edit], { name: "edit", arguments: { path, edits } }, context);
}

async function ready(path: string, ...edits: readonly object[]): Promise<ReadyCall> {
	const prepared = await plan(path, ...edits);
	if (prepared.kind === "refused") throw new Error(prepared.text);
	return prepared;
}

const contentOf = (path: string): Promise<string> => readText(join(context.cwd, path), "utf8");
const change = (oldText: string, newText: string) => ({ oldText, newText });

test("the plan of edits shows their difference, a grant for edit_file covers the edits, and they are written together", async () => {
	await put(join(context.cwd, "beans.txt"), "one\ntwo\nthree\n");
	const call = await ready("beans.txt", change("three", "3"), change("one", "1"));
	expect(call.plan).toEqual({
		label: "edit beans.txt",
		classes: ["write"],
		preview: "--- beans.txt\n+++ beans.txt\n@@ -1,3 +1,3 @@\n-one\n+1\n two\n-three\n+3\n",
		binding: { path: join(context.cwd, "beans.txt"), before: expect.stringMatching(/^[0-9a-f]{64}$/) },
		grant: { kind: "path", tool: "edit_file", root: context.cwd },
		notes: ["changes 2 places, lines 1, 3"],
		usualNotes: ["changes 2 places, lines 1, 3"],
	});
	expect(await contentOf("beans.txt")).toBe("one\ntwo\nthree\n");
	expect(await executeCall(call, context)).toEqual({
		text: "edited beans.txt: 2 places, lines 1, 3",
		failed: false,
	});
	expect(await contentOf("beans.txt")).toBe("1\ntwo\n3\n");
	expect(await readdir(context.cwd)).toEqual(["beans.txt"]);
});

test("line ends, byte order mark and permissions are preserved", async () => {
	await put(join(context.cwd, "run.sh"), "\u{feff}one\r\ntwo\r\n");
	await chmod(join(context.cwd, "run.sh"), 0o751);
	await executeCall(await ready("run.sh", change("one\ntwo", "1\n2")), context);
	expect(await contentOf("run.sh")).toBe("\u{feff}1\r\n2\r\n");
	expect((await stat(join(context.cwd, "run.sh"))).mode & 0o777).toBe(0o751);
});

test.each<[string, object[], string]>([
	[
		"an empty text",
		[change("a", "b"), change("", "x")],
		"edit 2: oldText is empty: give the text to replace",
	],
	[
		"the same text",
		[change("a", "a")],
		"edit 1: oldText equals newText: change newText, or leave the edit out",
	],
	[
		"two edits that overlap",
		[change("b\nc", "x"), change("a\nb", "y")],
		"edits 1 and 2 overlap; merge them into one edit",
	],
	[
		"a text that occurs several times",
		[change("d", "x")],
		"edit 1: oldText matches 3 times in f: lines 4, 5; add lines around it",
	],
	[
		"a text that does not occur",
		[change("a", "x"), change(" b", "y")],
		"edit 2: oldText not found in f; line 2 is indented with nothing, not with 1 space. The most similar line is 2; use its exact text:\nb",
	],
	[
		"a text without a similar line",
		[change("zzz", "")],
		"edit 1: oldText not found in f, and the file has no similar line: read the file again",
	],
	[
		"too much",
		[change("a", "x".repeat(262_144))],
		"f would become longer than the maximum of 262144 characters: use shorter texts",
	],
	["none", [], "invalid arguments of edit: edits: too small: expected array to have >=1 items"],
	["another name", [{ before: "a", newText: "b" }], expect.stringContaining("edits.0.oldText")],
])("%s: the file stays unchanged, and the error has the reason", async (_, edits, text) => {
	const content = "a\nb\nc\ndd\nd\n";
	await put(join(context.cwd, "f"), content);
	expect(await plan("f", ...edits)).toMatchObject({ kind: "refused", text });
	expect(await contentOf("f")).toBe(content);
});

test("a missing file cannot be edited, and the error suggests write", async () => {
	const text = 'cannot edit "none": the file does not exist; use write to create it';
	expect(await plan("none", change("a", "b"))).toMatchObject({ kind: "refused", text });
});

test("outside the roots neither the plan nor an error reveals content before the approval", async () => {
	const path = join(directory.path, "outside", "f");
	await put(path, "alpha\nbeta\n");
	const call = await ready(path, change("alpha", "1"), change("bet4", "2"));
	expect(call.plan).toMatchObject({
		classes: ["outside-write"],
		preview: "(the file would not change)",
		notes: ["perhaps the file does not contain the texts", `outside of ${context.cwd}`],
	});
	expect(await executeCall(call, context)).toEqual({
		text: `edit failed: edit 2: oldText not found in ${path}: read the file again`,
		failed: true,
	});
	expect(await readText(path, "utf8")).toBe("alpha\nbeta\n");
});

test("for a secret file only the edits are shown", async () => {
	await put(join(context.cwd, ".env"), "A=1\nB=2\nC=3\n");
	const { plan: planned } = await ready(".env", change("A=1", "A=4"), change("C=3", "C=5"));
	expect(planned.classes).toEqual(["write", "secret"]);
	expect(planned.preview).toContain("-A=1");
	expect(planned.preview).toContain("+C=5");
	expect(planned.preview).not.toContain("B=2");
	expect(planned.grant).toBeUndefined();
});

test("a file that was replaced is left unchanged", async () => {
	await put(join(context.cwd, "f"), "a\n");
	const call = await ready("f", change("a", "b"));
	await put(join(context.cwd, "f"), "a\nc\n");
	expect(await executeCall(call, context)).toEqual({
		text: "changed since it was approved: the file has other content now; the file was not written, so repeat the call",
		failed: true,
	});
	expect(await contentOf("f")).toBe("a\nc\n");
});
