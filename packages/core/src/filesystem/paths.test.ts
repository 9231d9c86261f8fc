import { lstatSync, realpathSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isWithin, looseForm, resolvePath, shownPath } from "./paths.ts";

let base = "";
let root = "";

/** Creates a directory tree with each kind of link: links out of a root, and links back into the root. */
beforeAll(async () => {
	base = await realpath(await mkdtemp(join(tmpdir(), "parley-paths-")));
	root = join(base, "root");
	for (const directory of ["root/a/b", "root/nested", "rootless", "outside/deep", "data/tokens"]) {
		await mkdir(join(base, directory), { recursive: true });
	}
	for (const file of ["root/file", "root/a/file", "outside/file", "data/tokens/operator", "rootless/file"]) {
		await writeFile(join(base, file), "x");
	}
	const links: [string, string][] = [
		["out", join(base, "outside")],
		["out-relative", "../outside"],
		["out-file", "../outside/file"],
		["out-new", "../outside/new"],
		["a/up", "../.."],
		["a/in", "../nested"],
		["dangling-in", "a/missing"],
		["chain", "out-relative/deep"],
		["loop", "loop"],
		["loop-a", "loop-b"],
		["loop-b", "loop-a"],
		["to-root", "/"],
		["to-data", "../data"],
		["to-new-data", "../data/new"],
		["proc", "/proc/self/root"],
		["self", "."],
		["~", "../outside"],
	];
	for (const [name, target] of links) await symlink(target, join(root, name));
});
afterAll(() => rm(base, { recursive: true }));

const places = () => ({
	cwd: join(root, "a"),
	roots: [root, join(root, "nested")],
	forbidden: [join(base, "data")],
});

test.each([
	["file", "root/a/file"],
	["./file", "root/a/file"],
	["../file", "root/file"],
	["b/../file", "root/a/file"],
	["missing/../file", "root/a/file"],
	["new/deep/file", "root/a/new/deep/file"],
	["in/new", "root/nested/new"],
	["../dangling-in", "root/a/missing"],
	["../self/self/file", "root/file"],
	["b//./", "root/a/b"],
	["...", "root/a/..."],
	["..file", "root/a/..file"],
	[" file", "root/a/ file"],
	["up/root/file", "root/file"],
	["-rf", "root/a/-rf"],
	["$HOME", "root/a/$HOME"],
	["%2e%2e/%2e%2e/x", "root/a/%2e%2e/%2e%2e/x"],
	["file:///etc/passwd", "root/a/file:/etc/passwd"],
	["..\u{ff0f}..\u{ff0f}etc", "root/a/..\u{ff0f}..\u{ff0f}etc"],
	["\u{2024}\u{2024}/x", "root/a/\u{2024}\u{2024}/x"],
	["a\nb", "root/a/a\nb"],
])("%j is inside the roots", async (text, expected) => {
	const resolved = await resolvePath(text, places());
	expect(resolved.path).toBe(join(base, expected));
	expect(resolved.root).toBeDefined();
});

test("absolute paths are accepted, and the result has the innermost root", async () => {
	expect(await resolvePath(join(root, "nested/x"), places())).toMatchObject({ root: join(root, "nested") });
	expect(await resolvePath(join(root, "file"), places())).toMatchObject({ root });
	expect(await resolvePath(root, places())).toMatchObject({ path: root, root });
});

test.each([
	["../..", ""],
	["../../outside/file", "outside/file"],
	["../../../../../../../etc/passwd", "/etc/passwd"],
	["/etc/passwd", "/etc/passwd"],
	["//etc//passwd", "/etc/passwd"],
	["/./etc/../etc/passwd", "/etc/passwd"],
	["../../rootless/file", "rootless/file"],
	["../out/file", "outside/file"],
	["../out-relative/file", "outside/file"],
	["../out-file", "outside/file"],
	["../out-new", "outside/new"],
	["../out/new/deep", "outside/new/deep"],
	["../chain/x", "outside/deep/x"],
	["up/outside/file", "outside/file"],
	["../to-root/etc/passwd", "/etc/passwd"],
	["../self/a/up/outside/file", "outside/file"],
	["../~/file", "outside/file"],
])("%j is outside the roots", async (text, expected) => {
	const resolved = await resolvePath(text, places());
	const path = expected.startsWith("/") ? await realpath(expected) : join(base, expected);
	expect(resolved).toMatchObject({ path: path.replace(/(?<=.)\/$/, ""), root: undefined });
});

test.each([
	["", 'the path "" is empty'],
	["a\0b", "contains a null character"],
	["file\0.txt", "contains a null character"],
	["..\\..\\etc", "contains a backslash: separate directories with /"],
	["~", "begins with ~, which is not expanded: write the complete path"],
	["~/x", "begins with ~, which is not expanded: write the complete path"],
	["~root/x", "begins with ~, which is not expanded: write the complete path"],
	["a\u{d800}", "is not well-formed text"],
	["x/".repeat(2100), "is longer than 4095 bytes"],
	["../loop", "symbolic links form a loop"],
	["../loop-a/x", "symbolic links form a loop"],
	["file/x", "a part of the path is a file"],
	["file/../x/../file/x", "a part of the path is a file"],
	["n".repeat(300), "a name in the path is too long"],
])("%j is refused with a reason", async (text, reason) => {
	await expect(resolvePath(text, places())).rejects.toThrow(reason);
});

test.each([
	"../../data",
	"../../data/tokens/operator",
	"../../data/new",
	"../to-data/tokens/operator",
	"../to-data",
	"../to-new-data",
	"up/data/tokens",
	"../../data/../data/tokens",
	"../../DATA/tokens/operator",
	"../../da\u{200b}ta/tokens",
	"../../\u{ff44}ata/tokens",
])("%j is forbidden, because it leads into the data directory", async (text) => {
	await expect(resolvePath(text, places())).rejects.toMatchObject({ code: "permission_denied" });
});

test("a directory next to a forbidden one is not forbidden", async () => {
	expect(await resolvePath("../../data2/x", places())).toMatchObject({ root: undefined });
});

test.runIf(process.platform === "linux")("links of the kernel to other locations are followed", async () => {
	const viaProc = `../proc${base}/outside/file`;
	expect(await resolvePath(viaProc, places())).toMatchObject({
		path: join(base, "outside/file"),
		root: undefined,
	});
	await expect(resolvePath(`/proc/self/root${base}/data/x`, places())).rejects.toMatchObject({
		code: "permission_denied",
	});
	await expect(resolvePath(`../proc${base}/data/tokens/operator`, places())).rejects.toMatchObject({
		code: "permission_denied",
	});
});

/** Returns pseudo-random numbers that depend only on `seed` (Lehmer). */
function* numbersOf(seed: number): Generator<number, never> {
	for (let state = seed; ; ) {
		state = (state * 48271) % 2147483647;
		yield state;
	}
}

function hostilePath(numbers: Generator<number, never>): string {
	const names = [
		...[
			"..",
			"..",
			".",
			"",
			"a",
			"a",
			"b",
			"new",
			"b",
			"nested",
			"file",
			"missing",
			"new",
			"up",
			"in",
			"out",
			"chain",
		],
		...[
			"out-relative",
			"out-new",
			"dangling-in",
			"to-root",
			"to-data",
			"to-new-data",
			"proc",
			"self",
			"root",
		],
		...[
			"rootless",
			"outside",
			"deep",
			"data",
			"tokens",
			"~",
			"...",
			"etc",
			"tmp",
			"%2e%2e",
			"\u{ff0e}\u{ff0e}",
		],
	];
	const separators = ["/", "/", "/", "//", "/./", "/../"];
	const starts = [
		"",
		"",
		"",
		"/",
		"../tools/",
		"../",
		`${root}/`,
		`${base}/`,
		`/proc/self/root${root}/`,
		`${root}/a/../`,
	];
	const pick = (list: readonly string[]): string => list[numbers.next().value % list.length] ?? "";
	let path = pick(starts);
	for (let count = numbers.next().value % 8; count >= 0; count -= 1) path += pick(names) + pick(separators);
	return path + pick(names);
}

test("no randomly generated hostile path leaves the roots undetected", async () => {
	const seen = { inside: 0, outside: 0, refused: 0 };
	const numbers = numbersOf(20_261_121);
	for (let count = 0; count < 4_000; count += 1) {
		const text = hostilePath(numbers);
		const resolved = await resolvePath(text, places()).catch(() => undefined);
		if (!resolved) {
			seen.refused += 1;
			continue;
		}
		seen[resolved.root === undefined ? "outside" : "inside"] += 1;
		// The kernel is the reference: the nearest existing path must be its own real path, without a link.
		let existing = resolved.path;
		while (!exists(existing)) existing = dirname(existing);
		expect(realpathSync(existing), text).toBe(existing);
		const inside = existing === root || existing.startsWith(`${root}/`);
		if (resolved.root !== undefined) expect(inside, text).toBe(true);
		else if (existing === resolved.path) expect(inside, text).toBe(false);
		expect(resolved.path.startsWith(join(base, "data/")), text).toBe(false);
	}
	expect(Math.min(seen.inside, seen.outside, seen.refused)).toBeGreaterThan(200);
});

function exists(path: string): boolean {
	return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

test("a directory contains a path only if complete names match", () => {
	expect(isWithin("/a/b", "/a")).toBe(true);
	expect(isWithin("/a", "/a")).toBe(true);
	expect(isWithin("/ab", "/a")).toBe(false);
	expect(isWithin("/", "/a")).toBe(false);
	expect(isWithin("/a", "/")).toBe(true);
});

test("paths that some file systems treat as equal have one form", () => {
	expect(looseForm("/A/.GIT\u{200c}/Cafe\u{301}")).toBe(looseForm("/a/.git/caf\u{e9}"));
	expect(looseForm("/a")).not.toBe(looseForm("/b"));
});

test("a path below the working directory is shown relative", () => {
	expect(shownPath("/w/a/b", "/w")).toBe("a/b");
	expect(shownPath("/w", "/w")).toBe(".");
	expect(shownPath("/x", "/w")).toBe("/x");
});
