import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

const declaration =
	/^export (?:declare )?(?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) ([A-Za-z_$][\w$]*)/gmu;
/** Pattern of a list of exports. A re-export declares no name. */
const list = /^export (?:type )?\{([^}]*)\}(?! from)/gmu;

/** Returns each exported name once, even if a schema and its type share it. */
function exportedNames(source: string): ReadonlySet<string> {
	const listed = [...source.matchAll(list)]
		.flatMap(([, items = ""]) => items.split(","))
		.flatMap((item) => /([\w$]+)\s*$/u.exec(item)?.[1] ?? []);
	return new Set([...[...source.matchAll(declaration)].flatMap(([, name = ""]) => name), ...listed]);
}

function duplicateNames(sources: readonly (readonly [path: string, source: string])[]): readonly string[] {
	const paths = new Map<string, string[]>();
	for (const [path, source] of sources) {
		for (const name of exportedNames(source)) paths.set(name, [...(paths.get(name) ?? []), path]);
	}
	return [...paths]
		.filter(([, files]) => files.length > 1)
		.map(([name, files]) => `${name}: ${files.join(", ")}`);
}

test("duplicate names are found in declarations and lists, but not in re-exports", () => {
	const sources = [
		["a.ts", "export const Start = 1;\nexport type Start = number;\nexport interface Step {}\n"],
		["b.ts", 'const step = 1;\nexport { step as Step };\nexport { Start } from "./a.ts";\n'],
		["c.ts", "export async function Step() {}\nconst Start = 2;\n"],
	] as const;
	expect(duplicateNames(sources)).toEqual(["Step: a.ts, b.ts, c.ts"]);
});

test.each(globSync("packages/*", { cwd: root }))("no two sources of %s export the same name", (folder) => {
	const files = globSync(`${folder}/src/**/*.ts`, { cwd: root, exclude: ["**/gen/**", "**/*.test.ts"] });
	expect(files.length).toBeGreaterThan(0);
	const sources = files.sort().map((path) => [path, readFileSync(`${root}/${path}`, "utf8")] as const);
	expect(duplicateNames(sources)).toEqual([]);
});
