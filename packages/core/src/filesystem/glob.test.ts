import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { compileGlob } from "./glob.ts";

const paths = [
	"a.ts",
	"src/a.ts",
	"src/b.tsx",
	"src/deep/a.ts",
	"src/deep/x.md",
	"src/{odd}/c.ts",
	"src/[x]/d.ts",
	"lib/a+b(c).ts",
	".hid/e.ts",
];

test.each<[glob: string, matched: string[]]>([
	["*.ts", paths.filter((path) => path.endsWith(".ts"))],
	["a.*", ["a.ts", "src/a.ts", "src/deep/a.ts"]],
	[
		"./*.ts",
		["a.ts", "src/a.ts", "src/deep/a.ts", "src/{odd}/c.ts", "src/[x]/d.ts", "lib/a+b(c).ts", ".hid/e.ts"],
	],
	["src/*.ts", ["src/a.ts"]],
	["src/**/*.ts", ["src/a.ts", "src/deep/a.ts", "src/{odd}/c.ts", "src/[x]/d.ts"]],
	["src/**", paths.filter((path) => path.startsWith("src/"))],
	["src/", paths.filter((path) => path.startsWith("src/"))],
	["**", paths],
	["**/*", paths],
	["**/deep/*", ["src/deep/a.ts", "src/deep/x.md"]],
	["**/*.{md,tsx}", ["src/b.tsx", "src/deep/x.md"]],
	["{src/deep,lib}/*", ["src/deep/a.ts", "src/deep/x.md", "lib/a+b(c).ts"]],
	["{**/deep,lib}/*.ts", ["src/deep/a.ts", "lib/a+b(c).ts"]],
	["src/?.ts", ["src/a.ts"]],
	["src/[b-z].tsx", ["src/b.tsx"]],
	["[!a].ts", ["src/{odd}/c.ts", "src/[x]/d.ts", ".hid/e.ts"]],
	["[^a].ts", ["src/{odd}/c.ts", "src/[x]/d.ts", ".hid/e.ts"]],
	["src/\\[x\\]/*", ["src/[x]/d.ts"]],
	["src/[[]x[]]/*", ["src/[x]/d.ts"]],
	["src/\\{odd\\}/*", ["src/{odd}/c.ts"]],
	["a+b(c).ts", ["lib/a+b(c).ts"]],
	["a**.ts", ["a.ts", "src/a.ts", "src/deep/a.ts", "lib/a+b(c).ts"]],
	["src/*", ["src/a.ts", "src/b.tsx"]],
	["A.TS", []],
	["", []],
])("%j matches %j", (glob, matched) => {
	const matches = compileGlob(glob);
	expect(paths.filter(matches)).toEqual(matched);
});

test.each([
	["!*.ts", "it excludes files"],
	["/etc/*", "leave out the first /"],
	["../*.ts", ".. leads out"],
	["src/../..", ".. leads out"],
	["{a,b", "it has a { without a }"],
	["a}", "it has a { without a }"],
	["[z-a].ts", "invalid range"],
])("%j is refused", (glob, reason) => {
	expect(() => compileGlob(glob)).toThrow(reason);
});

test("a regular expression is not a pattern", () => {
	expect(compileGlob("a|b")("a")).toBe(false);
	expect(compileGlob("a.ts")("axts")).toBe(false);
	expect(compileGlob("(?:a)")("a")).toBe(false);
	expect(compileGlob("[a-")("[a-")).toBe(true);
	expect(compileGlob("a,b")("a,b")).toBe(true);
});

test(
	"patterns that are designed to be slow are fast",
	() => {
		const matches = compileGlob(`${"*a".repeat(200)}b`);
		for (let round = 0; round < 50; round += 1) expect(matches("a".repeat(4_000))).toBe(false);
		expect(compileGlob(`${"{a,".repeat(100)}b${"}".repeat(100)}`)("b")).toBe(true);
		expect(compileGlob(`${"**/".repeat(100)}b`)("a/".repeat(1_000))).toBe(false);
	},
	paced(4_000),
);
