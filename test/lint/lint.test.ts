import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { allowed, planted } from "./planted.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const configuration = [
	"biome.json",
	"lint",
	".gitignore",
	"package.json",
	...["base", "protocol", "core", "gateway", "cli"].map((name) => `packages/${name}/package.json`),
	"test/package.json",
];

const Report = z.object({
	diagnostics: z.array(
		z.object({ category: z.string(), message: z.string(), location: z.object({ path: z.string() }) }),
	),
});
type Diagnostic = z.infer<typeof Report>["diagnostics"][number];

let folder = "";
let diagnostics: readonly Diagnostic[] = [];

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "parley-lint-"));
	for (const path of configuration) await cp(join(root, path), join(folder, path), { recursive: true });
	for (const { path, source } of [...planted, ...allowed]) {
		await mkdir(dirname(join(folder, path)), { recursive: true });
		await writeFile(join(folder, path), source);
	}
	diagnostics = await lint(folder);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(planted)("lint refuses $path: $reported", ({ path, reported }) => {
	expect(reportedFor(path)).toContainEqual(expect.stringContaining(reported));
});

test.each(allowed)("lint accepts $path", ({ path }) => {
	expect(reportedFor(path)).toEqual([]);
});

function reportedFor(path: string): string[] {
	return diagnostics
		.filter((diagnostic) => diagnostic.location.path === path)
		.map(({ category, message }) => `${category}: ${message}`);
}

async function lint(cwd: string): Promise<readonly Diagnostic[]> {
	const { promise, resolve } = Promise.withResolvers<string>();
	const args = ["lint", "--reporter=json", "--max-diagnostics=none"];
	// The planted files always make Biome fail.
	execFile(join(root, "node_modules/.bin/biome"), args, { cwd, maxBuffer: 2 ** 24 }, (_failed, stdout) =>
		resolve(stdout),
	);
	return Report.parse(parseJson(await promise)).diagnostics;
}
