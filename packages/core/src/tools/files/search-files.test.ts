import { spawnSync } from "node:child_process";
import { link, mkdir, writeFile as put, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createIds, ParleyError, systemClock } from "@parley/base";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createUnsandboxed } from "../../sandbox/commands/unsandboxed.ts";
import { createToolContext, createWorkplace, readyCall } from "../../testing/tool-context.ts";
import type { Command, CommandOutcome, Sandbox } from "../../vocabulary/sandbox.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { executeCall } from "../calls/tool-call.ts";
import { searchFiles } from "./search-files.ts";

const sandbox = createUnsandboxed({ environment: process.env, clock: systemClock, ids: createIds() });
let directory: Awaited<ReturnType<typeof createWorkplace>>;
let context: ToolContext;

beforeEach(async () => {
	directory = await createWorkplace();
	context = createToolContext(directory.cwd, { sandbox });
});
afterEach(() => directory[Symbol.asyncDispose]());

const prepare = (args: object, where = context) => readyCall(searchFiles, args, where);

async function search(args: object, where = context): Promise<string> {
	const { text, failed } = await executeCall(await prepare(args, where), where);
	expect(failed).toBe(false);
	return text;
}

async function putFiles(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
	for (const [path, content] of Object.entries(files)) {
		const full = `${context.cwd}/${path}`;
		await mkdir(dirname(full), { recursive: true });
		await put(full, content);
	}
}

function ending(outcomeOf: (command: Command) => Partial<CommandOutcome> | undefined): Sandbox {
	return {
		mode: "off",
		profile: "test",
		environment: {},
		network: undefined,
		async run(command) {
			const outcome = outcomeOf(command);
			if (outcome === undefined) return sandbox.run(command);
			return { code: 0, signal: null, output: "", timedOut: false, ...outcome };
		},
	};
}

const searching = ({ args }: Command): boolean => args.includes("--line-number");

test("matching lines have a path and a number, in the order of the paths", async () => {
	await putFiles({ "src/b.ts": "x\nlet bean = 1;\n", "src/a.ts": "bean()\n\nbean\r\n", "c.md": "no\n" });
	const ready = await prepare({ pattern: "bean" });
	expect(ready.plan).toEqual({
		label: 'search for "bean" in .',
		classes: ["read"],
		preview: "",
		binding: { path: context.cwd },
		grant: { kind: "path", tool: "search_files", root: context.cwd },
		below: true,
		notes: [],
	});
	const found = "src/a.ts:1:bean()\nsrc/a.ts:3:bean\nsrc/b.ts:2:let bean = 1;";
	expect((await executeCall(ready, context)).text).toBe(found);
	expect(await search({ pattern: "bean", path: "src" })).toBe(found);
	expect(await search({ pattern: "bean", path: "src/b.ts" })).toBe("src/b.ts:2:let bean = 1;");
	expect(await search({ pattern: "b.an", glob: "b.*" })).toBe("src/b.ts:2:let bean = 1;");
	expect(await search({ pattern: "BEAN\\(" })).toBe("[… no matches in 3 files …]");
	expect(await search({ pattern: "BEAN\\(", ignore_case: true })).toBe("src/a.ts:1:bean()");
});

test("lines around a match differ from the match", async () => {
	await putFiles({ a: "1\n2\nX\n4\n5\n6\n7\nX\n9\n", b: "X\n" });
	expect(await search({ pattern: "X", context: 1 })).toBe(
		"a-2-2\na:3:X\na-4-4\n--\na-7-7\na:8:X\na-9-9\n--\nb:1:X",
	);
});

test("a search outside the roots requires approval, and returns absolute paths", async () => {
	const path = join(directory.path, "outside");
	await put(join(path, "x"), "bean\n");
	const ready = await prepare({ pattern: "bean", path: "../outside" });
	expect(ready.plan).toMatchObject({ classes: ["outside-read"], notes: [`outside of ${context.cwd}`] });
	expect(ready.plan.grant).toBeUndefined();
	expect((await executeCall(ready, context)).text).toBe(`${path}/x:1:bean`);
});

test("files of keys are never searched by any path", async () => {
	await putFiles({
		".env": "KEY=1\n",
		"sub/.env.local": "KEY=2\n",
		id_rsa: "KEY\n",
		"a.pem": "KEY\n",
		"credentials.json": "KEY\n",
		".ssh/config": "KEY\n",
		".hidden": "KEY\n",
		open: "KEY\n",
	});
	expect(await search({ pattern: "KEY" })).toBe(
		"open:1:KEY\n[… 3 of the files may contain keys or passwords and were not searched …]",
	);
	const expected =
		".hidden:1:KEY\nopen:1:KEY\n[… 6 of the files may contain keys or passwords and were not searched …]";
	expect(await search({ pattern: "KEY", hidden: true })).toBe(expected);
	expect(await search({ pattern: "KEY", hidden: true, glob: "**" })).toBe(expected);
	expect(await search({ pattern: "KEY", hidden: true, glob: "*.{env,pem}*" })).toBe(
		"[… no matches in 0 files …]\n[… 3 of the files may contain keys or passwords and were not searched …]",
	);
	expect(await search({ pattern: "KEY", path: ".ssh" })).toBe(
		"[… no matches in 0 files …]\n[… 1 of the files may contain keys or passwords and were not searched …]",
	);
	await symlink(".env", join(context.cwd, "plain"));
	for (const path of [".env", "sub/../.env", "plain", "sub/.env.local"]) {
		await expect(prepare({ pattern: "KEY", path })).rejects.toThrow(
			`${JSON.stringify(path)} may contain keys or passwords: it cannot be searched, only read`,
		);
	}
});

test("files of the gateway are never searched, by any name", async () => {
	await putFiles({ "data/token": "gw_secret\n", "data/x/log": "gw_secret\n", open: "gw_none\n" });
	await link(join(context.cwd, "data/token"), join(context.cwd, "twin"));
	await symlink("data", join(context.cwd, "way"));
	const where = { ...context, forbidden: [join(context.cwd, "data")] };
	expect(await search({ pattern: "gw_" }, where)).toBe("open:1:gw_none");
	expect(await search({ pattern: "gw_", path: "twin" }, where)).toBe("[… no matches in 1 file …]");
	for (const path of ["data", "data/token", "way/token"]) {
		await expect(prepare({ pattern: "gw_", path }, where)).rejects.toThrow("tools may not access");
	}
});

test("ignored and hidden files, links and binary files are skipped", async () => {
	await putFiles({
		"gen/a": "bean\n",
		".hid": "bean\n",
		".git/config": "bean\n",
		"b.bin": "bean\0bean\n",
		".gitignore": "gen/\n",
		c: "bean\n",
	});
	await put(join(directory.path, "outside/x"), "bean\n");
	await symlink("../outside", join(context.cwd, "out"));
	await symlink("../outside/x", join(context.cwd, "file"));
	expect(await search({ pattern: "bean" })).toBe("c:1:bean");
	expect(await search({ pattern: "bean", glob: "**/*" })).toBe("c:1:bean");
	expect(await search({ pattern: "bean", hidden: true })).toBe(".hid:1:bean\nc:1:bean");
});

test("a file that became a link after its selection is not reported", async () => {
	await putFiles({ a: "bean\n", b: "bean\n" });
	await put(join(directory.path, "outside/x"), "bean of others\n");
	const swapping = ending((command) => {
		if (searching(command)) spawnSync("ln", ["-sf", "../outside/x", join(context.cwd, "a")]);
		return undefined;
	});
	expect(await search({ pattern: "bean" }, { ...context, sandbox: swapping })).toBe("b:1:bean");
});

test.each([
	["(", "the pattern cannot be used, so correct it: regex parse error"],
	["a\nb", 'the pattern cannot be used, so correct it: the literal "\\n" is not allowed in a regex'],
	["(?=x)", "look-around"],
	["(a)\\1", "backreferences are not supported"],
	["(\\w{1,1000}){1,1000}", "the pattern cannot be used, so correct it: compiled regex exceeds size limit"],
])("%j is not a pattern, and the error has the reason", async (pattern, reason) => {
	const { text, failed } = await executeCall(await prepare({ pattern }), context);
	expect(failed).toBe(true);
	expect(text).toContain(reason);
	expect(text).not.toMatch(/--pcre2|multiline/);
});

test("a pattern is never an option, and is never slow", async () => {
	await putFiles({ "-e": "--files\n", "--pre=x": "-e x\n", slow: `${"a".repeat(50_000)}\n` });
	expect(await search({ pattern: "--files" })).toBe("-e:1:--files");
	expect(await search({ pattern: "-e" })).toBe("--pre=x:1:-e x");
	expect(await search({ pattern: "-f/etc/passwd" })).toBe("[… no matches in 3 files …]");
	expect(await search({ pattern: "--pre=touch ran" })).toBe("[… no matches in 3 files …]");
	expect(await search({ pattern: "(a*)*b" })).toBe("[… no matches in 3 files …]");
});

test("files with any name are searched, except names with control characters", async () => {
	await putFiles({ "a b ": "X\n", "$(id)": "X\n", "é🌱": "X\n", "a:1:b": "X\n", "b\u{202e}c": "X\n" });
	await putFiles({ "new\nline": "X\n", "x\n./etc": "X\n", "u\u{1f}1\u{1f}": "X\n" });
	expect(await search({ pattern: "X" })).toBe("$(id):1:X\na b :1:X\na:1:b:1:X\nb\u{202e}c:1:X\né🌱:1:X");
	await expect(prepare({ pattern: "X", path: "new\nline" })).rejects.toThrow("contains a control character");
});

test("many matches, long lines and large results are cut with a note", async () => {
	await putFiles({ a: "X\n".repeat(50), b: "X\n".repeat(50) });
	const some = await search({ pattern: "X", max_results: 60 });
	expect(some.split("\n")).toHaveLength(61);
	expect(some).toMatch(
		/\nb:10:X\n\[… more matches: narrow the search by pattern, path or glob, or raise max_results …\]$/,
	);
	expect(await search({ pattern: "X" })).not.toContain("more matches");
	await putFiles({ a: `X${"y".repeat(5_000)}\n` });
	const long = await search({ pattern: "X", path: "a" });
	expect(long).toMatch(/^a:1:Xy+ \[\.\.\. omitted end of long line\]$/);
	expect(long.length).toBeLessThan(600);
	await putFiles({ a: `X${"y".repeat(400)}\n`.repeat(1_000) });
	const large = await search({ pattern: "X", max_results: 1_000 });
	expect(Buffer.byteLength(large)).toBeLessThan(65 * 1024);
	expect(large).toMatch(/more matches: [^\n]*$/);
});

test("all files are searched, also more than one start of the program accepts", async () => {
	const names = Array.from(
		{ length: 900 },
		(_, index) => `${String(index).padStart(4, "0")}${"x".repeat(200)}`,
	);
	await putFiles(Object.fromEntries(names.map((name) => [name, "no\n"])));
	await putFiles({ [names[0] ?? ""]: "bean\n", [names[899] ?? ""]: "bean\n" });
	expect(await search({ pattern: "bean" })).toBe(`${names[0]}:1:bean\n${names[899]}:1:bean`);
});

test("bytes that are not UTF-8 are found by their displayed form", async () => {
	const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("bean\n", "utf16le")]);
	await putFiles({ a: Buffer.from([0x62, 0x65, 0x61, 0x6e, 0xff, 0x0a]), b: utf16 });
	expect(await search({ pattern: "bean" })).toBe("a:1:bean\u{fffd}\nb:1:bean");
});

test.each<[Partial<CommandOutcome>, string]>([
	[
		{ timedOut: true, code: null, output: "./a\u{1f}1\u{1f}X\n" },
		"a:1:X\n[… the search took too long: narrow it by path or glob …]",
	],
	[{ code: 2, output: "./a\u{1f}1\u{1f}X\n" }, "a:1:X\n[… some files could not be read …]"],
	[
		{ output: "./a\u{1f}1\u{1f}X\n./a\u{1f}2\u{1f}part\n[… 9 bytes left out …]\nv\u{1f}3\u{1f}X\n" },
		"a:1:X\n[… more matches: narrow the search by pattern, path or glob, or raise max_results …]",
	],
	[{ output: './a: binary file matches (found "\\0" byte)\n' }, "[… no matches in 1 file …]"],
])("an error of ripgrep with %j is reported unchanged", async (outcome, text) => {
	await putFiles({ a: "X\n" });
	const where = { ...context, sandbox: ending((command) => (searching(command) ? outcome : undefined)) };
	expect(await search({ pattern: "X" }, where)).toBe(text);
});

test.each<[string, object, string]>([
	["nothing", { path: "nowhere" }, 'cannot search "nowhere": it does not exist; check the path'],
	["a pipe", { path: "pipe" }, 'cannot search "pipe": it is neither a regular file nor a directory'],
	["a NUL in the pattern", { pattern: "a\0b" }, "contains a null character"],
	["half a character", { pattern: "\u{d800}" }, "not well-formed"],
	["no pattern", { pattern: "" }, "pattern"],
	["a long pattern", { pattern: "x".repeat(1_001) }, "pattern"],
	["a glob that leads out", { glob: "../*" }, "leads out"],
	["a maximum of 0 results", { max_results: 0 }, "max_results"],
])("%s is refused", async (_name, args, reason) => {
	spawnSync("mkfifo", [join(context.cwd, "pipe")]);
	await expect(prepare({ pattern: "X", ...args })).rejects.toThrow(reason);
});

test("a directory that became a link after the plan is not searched", async () => {
	await putFiles({ "dir/a": "X\n" });
	const ready = await prepare({ pattern: "X", path: "dir" });
	await rename(join(context.cwd, "dir"), join(context.cwd, "moved"));
	await symlink("../outside", join(context.cwd, "dir"));
	expect(await executeCall(ready, context)).toEqual({
		text: "changed since it was approved: the path leads to another place; repeat the call",
		failed: true,
	});
	await rm(join(context.cwd, "dir"));
	expect(await executeCall(ready, context)).toMatchObject({ failed: true });
});

test("a missing program and a cancelled call are reported", async () => {
	await putFiles({ a: "X\n" });
	const missing: Sandbox = {
		...sandbox,
		run: () =>
			Promise.reject(new ParleyError('there is no executable program "/x/rg"', { code: "not_found" })),
	};
	const ready = await prepare({ pattern: "X" });
	expect(await executeCall(ready, { ...context, sandbox: missing })).toEqual({
		text: 'search_files failed: there is no executable program "/x/rg"',
		failed: true,
	});
	const aborted = { ...context, signal: AbortSignal.abort(), sandbox: ending(() => ({})) };
	expect(await executeCall(ready, aborted)).toEqual({ text: "cancelled", failed: true });
});
