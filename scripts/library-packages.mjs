// The npm packages for other programs: the client, the connector kit, and their common base.

import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "./capture.mjs";
import { binary, environment, root } from "./paths.mjs";

/** Packages in the order of their imports: each follows the packages that it imports. */
export const libraries = ["base", "protocol", "connector"];

/**
 * Optional libraries of `@parley/base`: `store` for its store and its log, and `testing` for its tests. The connector
 * kit needs `store`. The client needs neither, so it installs only libraries that run on Node 20.
 */
const store = ["keyv", "kysely", "lru-cache", "pino"];
const testing = ["@electric-sql/pglite", "pg"];

/**
 * Compiles a package into an empty folder, with its types and its npm manifest.
 * @param {string} name
 * @param {string} folder
 */
export async function stageLibrary(name, folder) {
	const home = join(root, "packages", name);
	mkdirSync(folder, { recursive: true });
	// The maps would refer to sources that the package does not contain.
	const more = ["--outDir", join(folder, "dist"), "--sourceMap", "false", "--declarationMap", "false"];
	const args = ["-p", join(home, "tsconfig.build.json"), ...more];
	const { code, output } = await capture(binary("tsc"), args, { env: environment() });
	if (code !== 0) throw new Error(`${name}: ${output.trim()}`);
	cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
	cpSync(join(home, "README.md"), join(folder, "README.md"));
	writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifestOf(name), undefined, "\t")}\n`);
}

/** @param {string} name */
function manifestOf(name) {
	const { publishConfig, scripts: _, devDependencies: __, ...manifest } = read(name);
	const dependencies = rangesOf(name, Object.keys(manifest.dependencies));
	if (name === "connector") Object.assign(dependencies, rangesOf("base", store));
	const shown = { ...manifest, exports: publishConfig.exports, dependencies };
	if (name !== "base") return { ...shown, ...optionalPeers(name === "connector" ? testing : []) };
	const needed = Object.entries(dependencies).filter(([library]) => !store.includes(library));
	return { ...shown, dependencies: Object.fromEntries(needed), ...optionalPeers([...store, ...testing]) };
}

/** @param {readonly string[]} names Libraries that npm installs only if another package requires them. */
function optionalPeers(names) {
	if (names.length === 0) return {};
	return {
		peerDependencies: rangesOf("base", names),
		peerDependenciesMeta: Object.fromEntries(names.map((name) => [name, { optional: true }])),
	};
}

/**
 * Returns the version range of each library: the version that the tests use, and later compatible versions (`^`). For
 * a package of this repository, the range is its exact version.
 * @param {string} name
 * @param {readonly string[]} libraries
 * @returns {Record<string, string>}
 */
function rangesOf(name, libraries) {
	return Object.fromEntries(
		libraries.map((library) => {
			const own = library.startsWith("@parley/");
			const { version } = own ? read(library.slice("@parley/".length)) : readInstalled(name, library);
			return [library, own ? version : `^${version}`];
		}),
	);
}

/** @param {string} name */
function read(name) {
	return JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
}

/**
 * @param {string} name
 * @param {string} library
 */
function readInstalled(name, library) {
	const file = join(root, "packages", name, "node_modules", library, "package.json");
	return JSON.parse(readFileSync(file, "utf8"));
}
