import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseSync } from "rolldown/utils";

/**
 * Returns the imports between the source files below a folder, including type imports and `import()`. Paths are
 * relative to the folder. Omits tests, generated code and folders named `testing`.
 * @param {string} folder
 * @returns {Map<string, string[]>}
 */
export function sourceImports(folder) {
	const files = globSync("**/*.ts", { cwd: folder, exclude: ["**/*.test.ts", "**/testing/**", "**/gen/**"] });
	const known = new Set(files);
	return new Map(
		files.map((file) => {
			const names = importedNames(file, readFileSync(join(folder, file), "utf8"));
			const paths = names.map((name) => relative(folder, join(folder, dirname(file), name)));
			return [file, [...new Set(paths)].filter((path) => known.has(path))];
		}),
	);
}

/**
 * Returns the modules from which a source imports or exports. Throws if the source cannot be parsed.
 * @param {string} file
 * @param {string} source
 * @returns {string[]}
 */
export function importedNames(file, source) {
	const { errors, module } = parseSync(file, source);
	if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
	const imported = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
	const exported = module.staticExports.flatMap(({ entries }) =>
		entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
	);
	// The parser's module record does not contain `import("…").Type`. Such a text in a comment also counts as an import.
	const inside = [...source.matchAll(/\bimport\(\s*"([^"]+)"/g)].map(([, name = ""]) => name);
	return [...imported, ...exported, ...inside];
}
