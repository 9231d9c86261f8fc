import { spawnSync } from "node:child_process";
import { chmod, link, mkdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { systemClock } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDirectory } from "../../testing/tool-context.ts";
import { type BoundFilesOptions, changedPaths, fileIdentity, filesBelow } from "./bound-files.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;

beforeEach(async () => {
	directory = await createDirectory();
});
afterEach(() => directory[Symbol.asyncDispose]());

/** The `mtime` of every file in seconds since the epoch, also after a swap. */
const oldTime = 1_700_000_000;

async function put(name: string, content = name): Promise<void> {
	const path = join(directory.path, name);
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, content);
	await utimes(path, oldTime, oldTime);
}

function readFacts(options: Partial<BoundFilesOptions> = {}) {
	const defaults = { clock: systemClock, skips: () => false, roots: [], hidden: false, prefix: "" };
	return filesBelow(directory.path, { ...defaults, ...options });
}

async function changedBy(action: () => Promise<unknown>): Promise<string[]> {
	const before = await readFacts();
	await action();
	return changedPaths(before.text, (await readFacts()).text, 10).names;
}

const path = (name: string) => join(directory.path, name);
const big = "x".repeat(300 * 1024);

test.for<[what: string, name: string, action: () => Promise<unknown>]>([
	["content with the same size and times", "b", () => swapInPlace("b", "c")],
	[
		"content of a large file with the same size and times",
		"big.js",
		() => swapInPlace("big.js", `y${big.slice(1)}`),
	],
	["permissions", "b", () => chmod(path("b"), 0o755)],
	["a file that is gone", "b", () => rm(path("b"))],
	["a new file", "a/json.py", () => put("a/json.py")],
	["a list of packages", "requirements.txt", () => put("requirements.txt")],
	["a new file without content", "a/json.py", () => put("a/json.py", "")],
	["the text of a link", "run", () => rm(path("run")).then(() => symlink("./a/x.py", path("run")))],
	["a link in the place of a file", "b", () => rm(path("b")).then(() => symlink("b2", path("b")))],
	["a hook of git", ".git/hooks/pre-commit", () => put(".git/hooks/pre-commit", "changed")],
	["settings of git", "sub/.git/config", () => put("sub/.git/config", "changed")],
	[
		"an installed package, in place",
		"node_modules/p/lib/",
		() => swapInPlace("node_modules/p/lib/m.js", "evil"),
	],
])("a change is detected and named: %s", async ([, name, action]) => {
	for (const each of [
		"a/x.py",
		"b",
		"b2",
		".git/hooks/pre-commit",
		"sub/.git/config",
		"node_modules/p/lib/m.js",
	]) {
		await put(each);
	}
	await put("big.js", big);
	await symlink("a/x.py", path("run"));
	expect(await changedBy(action)).toEqual([name]);
});

test("the target of a link is identified only in the directory and in the roots", async () => {
	await using other = await createDirectory();
	await put("a", "x");
	await writeFile(join(other.path, "b"), "x");
	await symlink("a", path("in"));
	await symlink(join(other.path, "b"), path("out"));
	const both = async () => [(await readFacts()).text, (await readFacts({ roots: [other.path] })).text];
	const [alone = "", rooted = ""] = await both();
	await put("a", "y");
	await writeFile(join(other.path, "b"), "y");
	const [aloneThen = "", rootedThen = ""] = await both();
	expect(changedPaths(alone, aloneThen, 5).names.sort()).toEqual(["a", "in"]);
	expect(changedPaths(rooted, rootedThen, 5).names.sort()).toEqual(["a", "in", "out"]);
});

test("no file of the kernel, device or pipe is read through a link", async () => {
	await symlink("/proc/self/status", path("status"));
	await symlink("/dev/zero", path("zero"));
	spawnSync("mkfifo", [path("pipe")]);
	await symlink("pipe", path("to-pipe"));
	const { text } = await readFacts({ roots: ["/"] });
	for (const name of ["status", "zero", "to-pipe"]) {
		expect(text).toMatch(new RegExp(`^${name}\t-> "[^"]+" $`, "m"));
		expect(fileIdentity(path(name))).toBeUndefined();
	}
});

test.skipIf(process.platform !== "linux")(
	"a scan ends although a link leads to an endless file",
	async () => {
		await symlink("/proc/self/pagemap", path("x"));
		const script = `
		import { filesBelow, fileIdentity } from ${JSON.stringify(import.meta.resolve("./bound-files.ts"))};
		const clock = { monotonic: () => 0 };
		await filesBelow(${JSON.stringify(directory.path)}, { clock, skips: () => false, roots: ["/"], hidden: false, prefix: "" });
		console.log(String(fileIdentity(${JSON.stringify(path("x"))})));
	`;
		// The read runs in a separate process, because this process could not interrupt a blocked read.
		const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 8_000 });
		expect(String(stdout)).toBe("undefined\n");
	},
);

/** Replaces the content and keeps the size and `mtime`, so that only the content and `ctime` differ. */
async function swapInPlace(name: string, content: string): Promise<void> {
	const ctime = async () => (await stat(path(name), { bigint: true })).ctimeNs;
	const [{ length }, before] = [await readFile(path(name)), await ctime()];
	do {
		await writeFile(path(name), content.padEnd(length).slice(0, length));
		await utimes(path(name), oldTime, oldTime);
		// The clock of `ctime` may tick only every 10 ms.
	} while ((await ctime()) === before);
}

test("documents, caches, logs, databases, git objects and files with only a new time are ignored", async () => {
	await put("a.py");
	const changed = await changedBy(async () => {
		for (const name of [
			"app.log",
			"app.log.1",
			"x.sqlite-wal",
			"x.DB",
			".a.py.swp",
			"a.py~",
			".#a.py",
			"a.txt",
			"B.PNG",
		])
			await put(name);
		for (const name of [".git/index", ".git/objects/ab/cd", ".git/refs/heads/x", ".git/logs/HEAD"])
			await put(name);
		for (const name of [".cache/x", "a/.pytest_cache/x", "node_modules/.vite/x.json"]) await put(name);
		await utimes(path("a.py"), 1, 1);
		await link(path("a.py"), `${directory.path}-twin`);
		await rm(`${directory.path}-twin`);
	});
	expect(changed).toEqual([]);
});

test("hidden files and skipped paths are ignored if configured", async () => {
	for (const name of [".config/x", ".bashrc", "a/.hidden/x", "data/tokens", "x"]) await put(name);
	expect((await readFacts()).files).toBe(5);
	const { text } = await readFacts({
		hidden: true,
		skips: (each) => each.endsWith("/data"),
		prefix: "/shown",
	});
	expect(text).toMatch(/^3\n\/shown\/x\t\S+ \d+$/);
});

test("a search ends at the maximum of entries, and searches installed packages last", async () => {
	for (let n = 100; n < 200; n++) await Promise.all([put(`node_modules/${n}`), put(`z/${n}`)]);
	const first = await readFacts({ max: 153 });
	expect(first).toMatchObject({ files: 150, complete: false });
	expect(first.text.split("\n")).toHaveLength(1 + 100 + 1);
	// The second scan ends at the same file as the first scan.
	await put("node_modules/199", "behind the limit");
	expect((await readFacts({ earlier: first.text })).text).toBe(first.text);
	await put("z/199", "before the limit");
	const { text } = await readFacts({ earlier: first.text });
	expect(changedPaths(first.text, text, 5)).toEqual({ names: ["z/199"], all: 1 });
});

test("a scan ends after 3 s, and the second one ends at the same file", async () => {
	for (let n = 0; n < 100; n++) await put(`${n}`.padStart(3, "0"));
	const clock = new ManualClock();
	const slow = {
		...clock,
		now: () => clock.now(),
		after: clock.after.bind(clock),
		monotonic: () => time++ * 1_200,
	};
	let time = 0;
	const first = await readFacts({ clock: slow });
	expect(first).toMatchObject({ complete: false });
	expect(first.files).toBeLessThan(100);
	expect(first.files).toBeGreaterThan(0);
	const second = await readFacts({ earlier: first.text });
	expect(second.text).toBe(first.text);
});
