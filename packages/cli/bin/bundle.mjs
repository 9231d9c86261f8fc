import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// An `import` reads all properties of a built-in module and so loads further modules, which costs
// milliseconds.
const require = createRequire(import.meta.url);
/** @type {typeof import("node:fs")} */
const { existsSync, readdirSync, readFileSync, statSync } = require("node:fs");

const home = fileURLToPath(new URL("..", import.meta.url));
const packages = fileURLToPath(new URL("../..", import.meta.url));

/** Directory that contains one folder for each bundle. */
export const bundles = join(home, "dist");

/** Name of a file in each bundle. The file lists the paths, sizes and modification times of the bundle's inputs. */
export const factsFile = "sources.txt";

const otherInputs = [
	"../pnpm-lock.yaml",
	...["bundle", "externals", "start-chunks"].map((name) => `../scripts/${name}.mjs`),
];

/** Whether the command runs in a clone. An installed package contains bundles, but no sources. */
export const hasSources = existsSync(join(home, "src"));

/**
 * Returns the folder of the bundle that matches the current sources. Without sources, returns the folder of
 * the newest bundle.
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
 * Returns the paths, sizes and modification times of all inputs of a bundle as one text. Does not read the
 * contents, because this would take longer than a bundle saves.
 */
export function factsOfSources() {
	/** @type {(string | number | undefined)[]} */
	const facts = [];
	for (const path of otherInputs) addFacts(facts, `${packages}${path}`);
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
		// A bundle without this file, for example of an earlier version, matches no sources.
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
