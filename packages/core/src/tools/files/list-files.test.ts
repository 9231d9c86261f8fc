import { mkdir, writeFile as put, rename, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createIds, ParleyError, systemClock } from "@parley/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createUnsandboxed } from "../../sandbox/commands/unsandboxed.ts";
import { createToolContext, createWorkplace, readyCall } from "../../testing/tool-context.ts";
import type { CommandOutcome, Sandbox } from "../../vocabulary/sandbox.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { executeCall } from "../calls/tool-call.ts";
import { listFiles } from "./list-files.ts";

const sandbox = createUnsandboxed({ environment: process.env, clock: systemClock, ids: createIds() });
let directory: Awaited<ReturnType<typeof createWorkplace>>;
let context: ToolContext;

beforeEach(async () => {
	directory = await createWorkplace();
	context = createToolContext(directory.cwd, { sandbox });
});
afterEach(() => directory[Symbol.asyncDispose]());

const prepare = (args: object, where = context) => readyCall(listFiles, args, where);

async function list(args: object = {}, where = context): Promise<string[]> {
	const { text, failed } = await executeCall(await prepare(args, where), where);
	expect(failed).toBe(false);
	return text.split("\n");
}

async function putFiles(...paths: string[]): Promise<void> {
	for (const path of paths) {
		await mkdir(dirname(join(context.cwd, path)), { recursive: true });
		await put(join(context.cwd, path), "");
	}
}

function ending(outcome: Partial<CommandOutcome>): Sandbox {
	const run = async (): Promise<CommandOutcome> => ({
		code: 0,
		signal: null,
		output: "",
		timedOut: false,
		...outcome,
	});
	return { mode: "off", profile: "test", environment: {}, network: undefined, run };
}

test("files are listed by name, sorted, and deep files are only counted", async () => {
	await putFiles("README.md", "src/a.ts", "src/deep/b.ts", "src/deep/er/c.ts", "src-x/d.ts", "b");
	const ready = await prepare({});
	expect(ready.plan).toEqual({
		label: "list .",
		classes: ["read"],
		preview: "",
		binding: { path: context.cwd },
		grant: { kind: "path", tool: "list_files", root: context.cwd },
		notes: [],
	});
	const shallow = ["README.md", "b", "src-x/d.ts", "src/a.ts", "src/deep/ (2 files)"];
	expect(await list()).toEqual(shallow);
	expect(await list({ depth: 1 })).toEqual(["README.md", "b", "src-x/ (1 file)", "src/ (3 files)"]);
	expect(await list({ pattern: "*.ts" })).toEqual(
		"src-x/d.ts src/a.ts src/deep/b.ts src/deep/er/c.ts".split(" "),
	);
	expect(await list({ pattern: "*.ts", depth: 2 })).toEqual(shallow.slice(2));
});

test("paths are shown in the form that other tools accept", async () => {
	await putFiles("src/deep/a.ts", "src/b.ts");
	expect(await list({ path: "src" })).toEqual(["src/b.ts", "src/deep/a.ts"]);
	expect(await list({ path: "src/deep/" })).toEqual(["src/deep/a.ts"]);
	expect(await list({ path: "src", pattern: "deep/*" })).toEqual(["src/deep/a.ts"]);
	const outside = join(directory.path, "outside");
	await put(join(outside, "x"), "");
	const ready = await prepare({ path: "../outside" });
	expect(ready.plan).toMatchObject({ classes: ["outside-read"], notes: [`outside of ${context.cwd}`] });
	expect(ready.plan.grant).toBeUndefined();
	expect((await executeCall(ready, context)).text).toBe(join(outside, "x"));
});

test("ignored files are left out, hidden ones are optional, and files of keys appear by name", async () => {
	await putFiles("a", "gen/b", "c.log", ".env", ".github/ci.yml", ".git/config", "sub/d.tmp", "sub/key.pem");
	await put(join(context.cwd, ".gitignore"), "gen/\n*.log\n");
	await put(join(context.cwd, "sub/.gitignore"), "*.tmp\n");
	expect(await list()).toEqual(["a", "sub/key.pem"]);
	expect(await list({ hidden: true })).toEqual(
		".env .github/ci.yml .gitignore a sub/.gitignore sub/key.pem".split(" "),
	);
	expect(await list({ pattern: "**/*" })).toEqual(["a", "sub/key.pem"]);
});

test("links are neither followed nor shown", async () => {
	await putFiles("a", "dir/b");
	await put(join(directory.path, "outside/secret"), "");
	await symlink("../outside", join(context.cwd, "out"));
	await symlink("../outside/secret", join(context.cwd, "file"));
	await symlink("..", join(context.cwd, "dir/up"));
	expect(await list({ depth: 9 })).toEqual(["a", "dir/b"]);
	expect((await prepare({ path: "out" })).plan.classes).toEqual(["outside-read"]);
});

test("files of the gateway are omitted with any path", async () => {
	await putFiles("a", "Data/tokens/operator", "data-x/b");
	const where = { ...context, forbidden: [join(context.cwd, "data")] };
	expect(await list({}, where)).toEqual(["a", "data-x/b"]);
	await expect(prepare({ path: "data" }, where)).rejects.toThrow("tools may not access");
});

test("names that look like options are names; those with control characters are left out", async () => {
	await putFiles("-rf", "--", "--pre=x", "a b ", "'", "$(id)", "é🌱", "*", "[x]", "b\u{202e}c");
	const expected = ["$(id)", "'", "*", "--", "--pre=x", "-rf", "[x]", "a b ", "b\u{202e}c", "é🌱"];
	await putFiles("new\nline", "esc\u{1b}[2J", "x\n./f", "y\n../f", "ctl\u{7f}");
	expect(await list({ depth: 9 })).toEqual(expected);
	await putFiles("-d/x");
	expect(await list({ path: "-d" })).toEqual(["-d/x"]);
});

test("long lists are cut, with the number of missing entries", async () => {
	await putFiles(...Array.from({ length: 12 }, (_, index) => `f${String(index).padStart(2, "0")}`));
	expect(await list({ limit: 10 })).toEqual([
		..."f00 f01 f02 f03 f04 f05 f06 f07 f08 f09".split(" "),
		"[… 2 more lines: narrow the list by path, pattern or depth …]",
	]);
	const names = Array.from({ length: 1_000 }, (_, index) => `./${index}${"x".repeat(200)}\n`);
	const output = names.join("");
	const text = (await list({ limit: 2_000, depth: 9 }, { ...context, sandbox: ending({ output }) })).join(
		"\n",
	);
	expect(Buffer.byteLength(text)).toBeLessThan(65 * 1024);
	expect(text).toMatch(/\n\[… \d+ more lines: .*…\]$/);
});

test.each<[Partial<CommandOutcome>, string[]]>([
	[{ code: 1 }, ["[… no files; set hidden to include names that begin with a dot …]"]],
	[{ output: "./a\n" }, ["a"]],
	[
		{ output: "./a\n./b\n[… 9 bytes left out …]\n./z\n" },
		["a", "[… there are too many files to list: name a subdirectory …]"],
	],
	[
		{ code: null, signal: "SIGTERM", timedOut: true, output: "./a\n" },
		["a", "[… listing the files took too long: name a subdirectory …]"],
	],
	[{ code: 2, output: "./a\nrg: broken\n" }, ["a", "[… a part of the directory could not be read …]"]],
])("an error of ripgrep with %j is reported unchanged", async (outcome, lines) => {
	expect(await list({}, { ...context, sandbox: ending(outcome) })).toEqual(lines);
});

test("if nothing fits, the result describes the directory", async () => {
	expect(await list({ hidden: true })).toEqual(["[… no files …]"]);
	await putFiles("a", "b");
	expect(await list({ pattern: "*.md" })).toEqual(["[… none of the 2 files matches the pattern …]"]);
});

test.each<[string, object, string]>([
	["a file", { path: "a" }, '"a" is not a directory'],
	["nothing", { path: "nowhere" }, 'cannot read the directory "nowhere": it does not exist; check the path'],
	["a NUL", { path: "a\0" }, "contains a null character"],
	["a pattern that leads out", { pattern: "../*" }, "leads out"],
	["an invalid pattern", { pattern: "{a" }, 'the pattern "{a" cannot be used'],
	["a depth of 0", { depth: 0 }, "depth"],
	["a limit of 0", { limit: 0 }, "limit"],
])("%s is refused", async (_name, args, reason) => {
	await putFiles("a");
	await expect(prepare(args)).rejects.toThrow(reason);
});

test("a limit that is too large becomes the maximum", async () => {
	expect((await prepare({ limit: 2_001 })).args).toMatchObject({ limit: 2_000 });
});

test("a directory that became a link after the plan is not listed", async () => {
	await putFiles("dir/a");
	const ready = await prepare({ path: "dir" });
	await rename(join(context.cwd, "dir"), join(context.cwd, "moved"));
	await symlink("../outside", join(context.cwd, "dir"));
	expect(await executeCall(ready, context)).toEqual({
		text: "changed since it was approved: the path leads to another directory; repeat the call",
		failed: true,
	});
});

test("the error names a missing program", async () => {
	const missing: Sandbox = {
		...ending({}),
		run: () =>
			Promise.reject(new ParleyError('there is no executable program "/x/rg"', { code: "not_found" })),
	};
	const where = { ...context, sandbox: missing };
	expect(await executeCall(await prepare({}, where), where)).toEqual({
		text: 'list_files failed: there is no executable program "/x/rg"',
		failed: true,
	});
});

test("a cancelled call reports the cancellation", async () => {
	const where = { ...context, signal: AbortSignal.abort(), sandbox: ending({ output: "./a\n" }) };
	expect(await executeCall(await prepare({}, where), where)).toEqual({ text: "cancelled", failed: true });
});
