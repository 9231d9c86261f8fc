import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// `import` would have Node read all that these offer, which loads more of it than is used: milliseconds of every start.
const require = createRequire(import.meta.url);
/** @type {typeof import("node:fs")} */
const { existsSync, readdirSync, statSync } = require("node:fs");

const home = fileURLToPath(new URL("..", import.meta.url));
const packages = fileURLToPath(new URL("../..", import.meta.url));

/** Where bundles are kept, each in a folder that is named for the sources it was made from. */
export const bundles = join(home, "dist");

/** What a bundle depends on beside the sources and the manifests of all packages. */
const others = ["../pnpm-lock.yaml", "../scripts/bundle.mjs"];

/** A clone has sources; a package that was installed has only its bundle. */
export const hasSources = existsSync(join(home, "src"));

/**
 * The folder of the bundle that was made from the sources as they are; where there are none, the one that is there.
 * @returns {string | undefined} Undefined where no bundle can be used.
 */
export function findBundle() {
	const folder = hasSources ? folderOfSources() : newestBundle();
	return folder !== undefined && existsSync(join(folder, "main.js")) ? folder : undefined;
}

/**
 * The folder in which a bundle of the sources belongs. Their sizes and times tell one state from another: to read them
 * would take longer than it saves.
 */
export function folderOfSources() {
	const lines = others.map(factsOf);
	for (const { name } of readdirSync(packages, { withFileTypes: true })) {
		lines.push(factsOf(`${name}/package.json`));
		addSources(lines, `${name}/src`);
	}
	/** @type {typeof import("node:crypto")} */
	const { createHash } = require("node:crypto");
	const stamp = createHash("sha256").update(lines.sort().join("\n")).digest("hex");
	return join(bundles, stamp.slice(0, 16));
}

/** @returns {string | undefined} */
function newestBundle() {
	if (!existsSync(bundles)) return undefined;
	const names = readdirSync(bundles).filter((name) => /^[0-9a-f]{16}$/.test(name));
	const folders = names.map((name) => join(bundles, name));
	return folders.toSorted((one, other) => statSync(one).mtimeMs - statSync(other).mtimeMs).at(-1);
}

/**
 * @param {string[]} lines
 * @param {string} folder
 */
function addSources(lines, folder) {
	for (const entry of readdirSync(join(packages, folder), { withFileTypes: true })) {
		const path = `${folder}/${entry.name}`;
		if (entry.isDirectory()) {
			if (entry.name !== "testing") addSources(lines, path);
		} else if (!entry.name.endsWith(".test.ts")) lines.push(factsOf(path));
	}
}

/** @param {string} path */
function factsOf(path) {
	const facts = statSync(`${packages}${path}`, { throwIfNoEntry: false });
	return `${path} ${facts?.size} ${facts?.mtimeMs}`;
}
