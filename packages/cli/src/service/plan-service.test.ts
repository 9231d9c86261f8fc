import { mkdir, mkdtempDisposable, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chosenVariables, readEnvironmentFile, storeVariables } from "./environment-file.ts";
import { thisMachine } from "./machine.ts";
import { accountOf, programOf, shellVariables } from "./plan-service.ts";

const place = () => mkdtempDisposable(join(tmpdir(), "parley-plan-"));

test("a link that leads to the running Node is preferred to the path of its version", async () => {
	await using root = await place();
	const cellar = join(root.path, "24.1");
	const bin = join(root.path, "bin");
	for (const directory of [cellar, bin]) await mkdir(directory);
	await writeFile(join(cellar, "node"), "");
	const program = join(root.path, "parley.mjs");
	const copy = { kind: "global" as const, program };
	expect(programOf(join(cellar, "node"), copy, { PATH: bin })).toEqual([join(cellar, "node"), program]);
	await symlink(join(cellar, "node"), join(bin, "node"));
	expect(programOf(join(cellar, "node"), copy, { PATH: `relative:${bin}` })).toEqual([
		join(bin, "node"),
		program,
	]);
});

test("a temporary installation of npx is refused", () => {
	const program = "/home/me/.npm/_npx/ab12/node_modules/.bin/parley";
	expect(() => programOf("/usr/bin/node", { kind: "npx", program }, {})).toThrow("npm install --global");
});

test("variables are stored beside the lines of the operator, and replaced if their value differs", async () => {
	await using root = await place();
	const file = join(root.path, "a", "service.env");
	expect(await readEnvironmentFile(file)).toEqual({});
	expect(await storeVariables(file, { ONE: "1" })).toBe(true);
	await writeFile(file, "# mine\nOTHER='x y'\nONE=1\n");
	expect(await storeVariables(file, { ONE: "1" })).toBe(false);
	expect(await storeVariables(file, { ONE: "2", TWO: "a/b+c==" })).toBe(true);
	expect(await readEnvironmentFile(file)).toEqual({ OTHER: "x y", ONE: "2", TWO: "a/b+c==" });
});

test("keys are not written through a link that another user put beside their file", async () => {
	await using root = await place();
	const [file, target] = [join(root.path, "service.env"), join(root.path, "target")];
	await writeFile(target, "");
	await symlink(target, `${file}.draft-${process.pid}`);
	expect(await storeVariables(file, { ONE: "1" })).toBe(true);
	expect(await readFile(target, "utf8")).toBe("");
	expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each([
	["1X", "x", "invalid environment variable name"],
	["X", "", "not set"],
	["X", undefined, "not set"],
	["X", "a b", "characters"],
	["X", "a\nY=b", "characters"],
	["X", '"a"', "characters"],
])("the variable %s with the value %j is refused", (name, value, reason) => {
	expect(() => chosenVariables([name], { [name]: value })).toThrow(reason);
});

test.each(["root", "0", "no-such-account", "-u", ""])("a system service does not run as %j", async (user) => {
	const machine = thisMachine({ environment: { PATH: process.env["PATH"], SUDO_USER: "root" } });
	const message = `cannot run a system service as "${user || "root"}"`;
	await expect(accountOf(user, machine)).rejects.toThrow(message);
});

test("a system service requires an account", async () => {
	const machine = thisMachine({ environment: { PATH: process.env["PATH"] } });
	await expect(accountOf(undefined, machine)).rejects.toThrow("use `--user NAME`");
});

test("a system service runs as the given account, or else as the account that called sudo", async () => {
	const machine = thisMachine({ environment: { PATH: process.env["PATH"], SUDO_USER: "nobody" } });
	expect(await accountOf("daemon", machine)).toBe("daemon");
	expect(await accountOf(undefined, machine)).toBe("nobody");
});

test("a service gets the settings of the shell, the path of the TLS key among them, and no key", () => {
	const settings = { PARLEY_TLS_CERT: "/c.pem", PARLEY_TLS_KEY: "/k.pem", PARLEY_MODEL: "m" };
	const others = { PARLEY_TOKEN: "t", PARLEY_DATA: "/d", PARLEY_API_KEY: "k", ANTHROPIC_API_KEY: "a" };
	expect(shellVariables({ ...settings, ...others })).toEqual(settings);
});
