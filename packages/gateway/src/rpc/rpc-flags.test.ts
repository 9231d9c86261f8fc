import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCwd, readMaxSteps, readReasoning, readTools } from "./rpc-flags.ts";

const known = ["read", "write", "edit", "bash"];

test.each([
	[undefined, undefined],
	["", undefined],
	["off", "off"],
	["NONE", "off"],
	["minimal", "low"],
	["medium", "medium"],
	["XHigh", "xhigh"],
	["maximum", "max"],
])("--reasoning %j is %j", (text, expected) => {
	expect(readReasoning(text)).toBe(expected);
});

test.each(["much", "toString", " low", "0"])("--reasoning %j is refused with the allowed values", (text) => {
	expect(() => readReasoning(text)).toThrow(/--reasoning is ".*"; use off, none, .*maximum/);
});

test.each([
	[undefined, Number.MAX_SAFE_INTEGER],
	["1", 1],
	["999999999", 999_999_999],
])("--max-steps %j is %i", (text, expected) => {
	expect(readMaxSteps(text)).toBe(expected);
});

test.each(["", "0", "-1", "1.5", "1e3", "01", " 1", "ten", "9999999999"])(
	"--max-steps %j is refused",
	(text) => {
		expect(() => readMaxSteps(text)).toThrow(/--max-steps is ".*"; use a positive whole number/);
	},
);

test.each<[string | boolean | undefined, readonly string[]]>([
	[undefined, known],
	[true, known],
	[false, []],
	["", []],
	["read", ["read"]],
	["bash, read,read", ["bash", "read"]],
])("--tools %j is %j", (given, expected) => {
	expect(readTools(given, known)).toEqual(expected);
});

test.each([" ", "reed", "read,", "read,Bash", "run_command"])(
	"--tools %j is refused with the existing tools",
	(given) => {
		expect(() => readTools(given, known)).toThrow(
			/--tools contains unknown names: .*; allowed: read, write, edit, bash/,
		);
	},
);

test("--cwd is an existing directory, relative to the start of the process", async () => {
	const directory = await mkdtemp(join(await realpath(tmpdir()), "parley-flags-"));
	try {
		await writeFile(join(directory, "file"), "");
		for (const given of [undefined, "", ".", directory]) expect(readCwd(given, directory)).toBe(directory);
		expect(readCwd("..", directory)).toBe(join(directory, ".."));
		for (const given of ["file", "nothing", "file/below"]) {
			expect(() => readCwd(given, directory)).toThrow(
				`${join(directory, given)} does not exist or is not a directory`,
			);
		}
		const long = "x".repeat(5_000);
		expect(() => readCwd(long, "/")).toThrow(
			/^--cwd \/x{199}… cannot be read \(ENAMETOOLONG\); name a directory that can be read$/,
		);
		const deep = "y/".repeat(1_000);
		expect(() => readCwd(deep, "/")).toThrow(
			/^--cwd \/[y/]{199}… does not exist or is not a directory; name an existing directory$/,
		);
	} finally {
		await rm(directory, { recursive: true });
	}
});
