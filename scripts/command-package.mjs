// The npm package of the command. It contains the bundle of all workspace packages.

import { createHash } from "node:crypto";
import { cpSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageName } from "../packages/cli/bin/package-name.mjs";
import { writeBundle } from "./build.mjs";
import { external, nodePackages } from "./externals.mjs";
import { root } from "./paths.mjs";

const cli = join(root, "packages/cli");

/**
 * Writes the content of the package into an empty folder.
 * @param {string} folder
 */
export async function stageCommand(folder) {
	const notices = await placeBundle(join(folder, "dist"));
	renameSync(notices, join(folder, "THIRD-PARTY-NOTICES.txt"));
	for (const name of ["bin", "man"]) cpSync(join(cli, name), join(folder, name), { recursive: true });
	cpSync(join(cli, "README.package.md"), join(folder, "README.md"));
	cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
	writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest(), undefined, "\t")}\n`);
}

/**
 * Writes the bundle to a folder whose name depends on the content, so that the launcher finds it. Returns the
 * path of the licence notices.
 * @param {string} dist
 */
async function placeBundle(dist) {
	const draft = join(dist, "draft");
	await writeBundle(draft);
	const hash = createHash("sha256");
	for (const name of readdirSync(draft).sort()) {
		hash.update(`\0${name}\0`).update(readFileSync(join(draft, name)));
	}
	const bundle = join(dist, hash.digest("hex").slice(0, 16));
	renameSync(draft, bundle);
	return join(bundle, "third-party-notices.txt");
}

function manifest() {
	const { version, license, type, bin, man } = read(join(cli, "package.json"));
	return {
		name: packageName,
		version,
		description: "Self-hosted AI agent for you and your team: the parley command.",
		license,
		type,
		// On an older Node, the launcher starts Node 24 from the optional dependencies.
		engines: { node: ">=20" },
		// npx runs the program with the name of the package.
		bin: { [packageName]: bin.parley, ...bin },
		// npm links a manual page only if `man` is a list.
		man: [man],
		files: ["bin", "dist", "man", "THIRD-PARTY-NOTICES.txt"],
		dependencies: Object.fromEntries(external.map((name) => [name, installedVersion(name)])),
		optionalDependencies: nodePackages,
	};
}

/**
 * Returns the version that the tests use.
 * @param {string} name
 */
function installedVersion(name) {
	return read(join(cli, "node_modules", name, "package.json")).version;
}

/** @param {string} file */
function read(file) {
	return JSON.parse(readFileSync(file, "utf8"));
}
