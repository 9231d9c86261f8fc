import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const root = new URL("../../", import.meta.url);
const text = readFileSync(new URL("AGENTS.md", root), "utf8");
const recipes = text.slice(text.indexOf("\n## Recipes\n"));
const files = globSync(["*.{md,json}", "{packages,test,docs,lint,scripts}/**/*.{ts,mjs,md,json}"], {
	cwd: root,
});

/** Paths in the recipes. A recipe may give only the end of a path. `NAME`, `GROUP` and `*` match any name. */
const named = [...recipes.matchAll(/`([\w./*-]+\.(?:ts|mjs|md|json))`/g)].map(([, path = ""]) => path);

function exists(path: string): boolean {
	const name = path
		.split(/NAME|GROUP|\*/)
		.map(RegExp.escape)
		.join("[\\w-]+");
	return files.some((file) => new RegExp(`(?:^|/)${name}$`).test(file));
}

test("each file that a recipe names exists", () => {
	expect(named.length).toBeGreaterThan(30);
	expect(named.filter((path) => !exists(path))).toEqual([]);
	expect(exists("no-such-file.ts")).toBe(false);
});
