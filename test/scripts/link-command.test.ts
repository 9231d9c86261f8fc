import { execFileSync } from "node:child_process";
import {
	chownSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { linkCommand } from "../../scripts/link-command.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const launcher = join(root, "packages/cli/bin/parley.mjs");
let home: string;
let own: string;

beforeEach(() => {
	home = realpathSync(mkdtempSync(join(tmpdir(), "parley-link-")));
	own = join(home, ".local/bin");
});
afterEach(() => rmSync(home, { recursive: true }));

function folder(path: string): string {
	const directory = join(home, path);
	mkdirSync(directory, { recursive: true });
	return directory;
}

function program(file: string, mode = 0o755): string {
	writeFileSync(file, "#!/bin/sh\n", { mode });
	return file;
}

function link(path: readonly string[], shell = "/bin/bash") {
	return linkCommand({ HOME: home, PATH: path.join(delimiter), SHELL: shell });
}

const exported = { line: `export PATH=${root}bin:"$PATH"` };

test("the link is in ~/.local/bin if the shell searches there, and it runs the command", () => {
	expect(link([folder("bin"), "/usr/bin", own])).toEqual({ link: join(own, "parley") });
	expect(realpathSync(join(own, "parley"))).toBe(launcher);
	const version = execFileSync(join(own, "parley"), ["--version"], { cwd: home, encoding: "utf8" });
	expect(version).toBe(execFileSync(process.execPath, [launcher, "--version"], { encoding: "utf8" }));
});

test("a second start makes no second link", () => {
	expect(link([own])).toEqual({ link: join(own, "parley") });
	expect(link([own])).toEqual({});
});

test("other directories of the PATH in the home directory are used, but not those of tools", () => {
	const tools = [folder(".cargo/bin"), folder("shop/node_modules/.bin"), folder(".nvm/node-gyp-bin")];
	expect(link([...tools, folder("programs")])).toEqual({ link: join(home, "programs/parley") });
	rmSync(join(home, "programs/parley"));
	expect(link([...tools, folder("programs"), folder("bin")])).toEqual({ link: join(home, "bin/parley") });
});

test.each([
	["/bin/bash", `export PATH=${root}bin:"$PATH"`],
	["/usr/bin/zsh", `export PATH=${root}bin:"$PATH"`],
	["/usr/local/bin/fish", `fish_add_path ${root}bin`],
	["", `export PATH=${root}bin:"$PATH"`],
])("%s: without such a directory, the line is %s", (shell, line) => {
	expect(link(["/usr/bin", "", "bin", folder(".cargo/bin")], shell)).toEqual({ line });
});

test("the line makes the shell find the command, and quotes its directory", () => {
	const clone = folder("Ada's clone");
	symlinkSync(join(root, "packages"), join(clone, "packages"));
	mkdirSync(join(clone, "bin"));
	writeFileSync(join(clone, "bin/parley"), readFileSync(join(root, "bin/parley")), { mode: 0o755 });
	const { line = "" } = linkCommand({ HOME: home, PATH: "/usr/bin", SHELL: "/bin/sh" }, clone);
	const script = `${line}\ncommand -v parley; parley --version`;
	const env = { PATH: process.env["PATH"], HOME: home };
	const printed = execFileSync("sh", ["-euc", script], { cwd: home, env, encoding: "utf8" });
	expect(printed).toMatch(/\/Ada's clone\/bin\/parley\n\d+\.\d+\.\d+\n$/);
	expect(linkCommand({ HOME: home, PATH: `${clone}/bin`, SHELL: "/bin/sh" }, clone)).toEqual({});
});

test("the program in bin runs through links", () => {
	const [first, second] = [join(home, "first"), join(home, "second")];
	symlinkSync(join(root, "bin/parley"), first);
	symlinkSync("first", second);
	const env = { PATH: process.env["PATH"], HOME: home };
	expect(execFileSync(second, ["--version"], { env, encoding: "utf8" })).toMatch(/^\d/);
});

test("another program or file named parley is not removed, even if it cannot be run", () => {
	const file = program(join(folder("programs"), "parley"));
	expect(link([folder("programs"), own])).toEqual(exported);
	expect(existsSync(own)).toBe(false);
	rmSync(file);
	program(join(folder(".local/bin"), "parley"), 0o644);
	expect(link([own])).toEqual(exported);
	expect(lstatSync(join(own, "parley")).isFile()).toBe(true);
	const elsewhere = join(folder("other"), "parley");
	symlinkSync("/nowhere/parley", elsewhere);
	expect(link([folder("other")])).toEqual(exported);
	expect(readlinkSync(elsewhere)).toBe("/nowhere/parley");
});

test("a link to a clone that was deleted is replaced", () => {
	symlinkSync("/nowhere/packages/cli/bin/parley.mjs", join(folder(".local/bin"), "parley"));
	expect(link([own])).toEqual({ link: join(own, "parley") });
	expect(realpathSync(join(own, "parley"))).toBe(launcher);
});

test("a directory in which a link cannot be created is skipped", () => {
	writeFileSync(join(home, "bin"), "");
	expect(link([join(home, "bin")])).toEqual(exported);
	expect(link([join(home, "bin"), folder("programs")])).toEqual({ link: join(home, "programs/parley") });
});

test("directories outside the home directory get no link, also by a symbolic link, and missing ones are not made", () => {
	const outside = realpathSync(mkdtempSync(join(tmpdir(), "parley-outside-")));
	symlinkSync(outside, join(home, "bin"));
	try {
		const missing = [join(home, "go/bin"), join(home, "missing")];
		expect(link([join(home, "bin"), outside, ...missing, `${home}/../bin`, home])).toEqual(exported);
		expect([...readdirSync(outside), ...readdirSync(home)]).toEqual(["bin"]);
		symlinkSync(folder(".dotfiles/bin"), join(home, "mine"));
		expect(link([join(home, "mine")])).toEqual({ link: join(home, "mine/parley") });
	} finally {
		rmSync(outside, { recursive: true });
	}
});

test.runIf(process.getuid?.() === 0)("a directory of another user gets no link", () => {
	chownSync(folder("bin"), 65_534, 65_534);
	expect(link([join(home, "bin")])).toEqual(exported);
});

test("the PATH and HOME may name the home directory by a symbolic link, with spaces", () => {
	const linked = join(folder("with spaces"), "home");
	symlinkSync(home, linked);
	folder("bin");
	const calls = [
		{ HOME: linked, PATH: join(home, "bin") },
		{ HOME: home, PATH: join(linked, "bin") },
		{ HOME: `${linked}/`, PATH: `${linked}/bin/` },
	];
	for (const call of calls) {
		const { link = "" } = linkCommand(call);
		expect(realpathSync(link)).toBe(launcher);
		rmSync(link);
	}
});

test("a home directory of another user, or none, gets no link", () => {
	symlinkSync("loop", join(home, "loop"));
	for (const HOME of ["/", "", "relative", join(home, "missing"), join(home, "loop")]) {
		expect(linkCommand({ HOME, PATH: `${home}/bin`, SHELL: "" })).toEqual(exported);
	}
	expect(existsSync(join(home, "bin"))).toBe(false);
});
