import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findInstallation } from "./installation.ts";

let directory: string;

beforeEach(() => {
	directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-installation-")));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Creates a package with these modules. Returns the file URL of the first module. */
function install(home: string, modules: readonly string[] = ["dist/0123456789abcdef/version.js"]): string {
	const files = { "package.json": '{ "name": "some-name", "version": "1.2.3" }', "bin/parley.mjs": "" };
	for (const [file, text] of [...Object.entries(files), ...modules.map((name) => [name, ""] as const)]) {
		mkdirSync(dirname(join(home, file)), { recursive: true });
		writeFileSync(join(home, file), text);
	}
	return pathToFileURL(join(home, modules[0] ?? "")).href;
}

function link(prefix: string, target: string): void {
	mkdirSync(join(prefix, "bin"), { recursive: true });
	symlinkSync(target, join(prefix, "bin/parley"));
}

test("a copy that npm installed globally has the prefix of npm", () => {
	const home = join(directory, "lib/node_modules/some-name");
	const module = install(home);
	link(directory, "../lib/node_modules/some-name/bin/parley.mjs");
	expect(findInstallation(module)).toEqual({
		kind: "global",
		name: "some-name",
		version: "1.2.3",
		home,
		program: join(home, "bin/parley.mjs"),
		prefix: directory,
	});
});

test("a linked directory is found at its real path", () => {
	install(join(directory, "real"));
	symlinkSync("real", join(directory, "linked"));
	const module = pathToFileURL(join(directory, "linked/dist/0123456789abcdef/version.js")).href;
	expect(findInstallation(module).home).toBe(join(directory, "real"));
});

test.each([
	["npx", "cache/_npx/0a1b/node_modules/some-name"],
	["project", "shop/node_modules/some-name"],
	// A package without a link in `bin` is not a global installation.
	["project", "lib/node_modules/some-name"],
])("%s: %s", (kind, home) => {
	const found = findInstallation(install(join(directory, home)));
	expect(found).toMatchObject({ kind, home: join(directory, home) });
	expect(found).not.toHaveProperty("prefix");
});

test("another program with the name of the command makes no prefix", () => {
	const module = install(join(directory, "lib/node_modules/some-name"));
	writeFileSync(join(directory, "other"), "");
	link(directory, "../other");
	expect(findInstallation(module).kind).toBe("project");
});

test("a package with sources is a clone, also if its bundle runs", () => {
	const module = install(directory, ["dist/0123456789abcdef/version.js", "src/installation/installation.ts"]);
	expect(findInstallation(module).kind).toBe("clone");
});

test("the process of this test runs from a clone", () => {
	expect(findInstallation()).toMatchObject({ kind: "clone", name: "@parley/cli" });
});
