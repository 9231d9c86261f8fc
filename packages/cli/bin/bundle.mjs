import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// An `import` of these modules reads all their properties, which loads modules that are not used: milliseconds of each start.
const require = createRequire(import.meta.url);
/** @type {typeof import("node:fs")} */
const { existsSync, readdirSync, readFileSync, statSync } = require("node:fs");

const home = fileURLToPath(new URL("..", import.meta.url));
const packages = fileURLToPath(new URL("../..", import.meta.url));

/** The directory of all bundles. Each is a folder that is named after the sources that it was made from. */
export const bundles = join(home, "dist");

/** The file of a bundle with the paths, sizes and times of its sources. */
export const factsFile = "sources.txt";

/** Inputs of a bundle beside the sources and manifests of the packages. */
const others = [
	"../pnpm-lock.yaml",
	...["bundle", "externals", "start-chunks"].map((name) => `../scripts/${name}.mjs`),
];

/** True in a clone. An installed package has bundles and no sources. */
export const hasSources = existsSync(join(home, "src"));

/**
 * The folder of the bundle for the present sources, or of the newest bundle if there are no sources.
 * @returns {string | undefined} Undefined if no bundle can be used.
 */
export function findBundle() {
	const folders = allBundles();
	if (!hasSources) return folders.toSorted((one, other) => timeOf(one) - timeOf(other)).at(-1);
	if (folders.length === 0) return undefined;
	const facts = factsOfSources();
	return folders.find((folder) => readFacts(folder) === facts);
}

/**
 * Paths, sizes and times of all sources, as text, which identifies a state of the sources. Reading the sources would take
 * longer than a bundle saves. This runs at each start in a clone: comparing texts needs no module for hashes.
 */
export function factsOfSources() {
	/** @type {(string | number | undefined)[]} */
	const facts = [];
	for (const path of others) addFacts(facts, `${packages}${path}`);
	for (const name of readdirSync(packages)) {
		addFacts(facts, `${packages}${name}/package.json`);
		addSources(facts, `${packages}${name}/src`);
	}
	return facts.join("\n").replaceAll(packages, "");
}

function allBundles() {
	if (!existsSync(bundles)) return [];
	const names = readdirSync(bundles).filter((name) => /^[0-9a-f]{16}$/.test(name));
	return names.map((name) => join(bundles, name)).filter((folder) => existsSync(join(folder, "main.js")));
}

/** @param {string} folder */
function timeOf(folder) {
	return statSync(folder).mtimeMs;
}

/** @param {string} folder */
function readFacts(folder) {
	try {
		return readFileSync(join(folder, factsFile), "utf8");
	} catch {
		// A bundle of an earlier version has no such file: it fits no sources.
		return undefined;
	}
}

/**
 * @param {(string | number | undefined)[]} facts
 * @param {string} folder
 */
function addSources(facts, folder) {
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = `${folder}/${entry.name}`;
		if (entry.isDirectory()) {
			if (entry.name !== "testing") addSources(facts, path);
		} else if (!entry.name.endsWith(".test.ts")) addFacts(facts, path);
	}
}

/**
 * @param {(string | number | undefined)[]} facts
 * @param {string} path
 */
function addFacts(facts, path) {
	const found = statSync(path, { throwIfNoEntry: false });
	facts.push(path, found?.size, found?.mtimeMs);
}
