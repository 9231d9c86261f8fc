import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundles, factsFile, factsOfSources, findBundle } from "../packages/cli/bin/bundle.mjs";
import { capture, seconds } from "./capture.mjs";
import { install } from "./install.mjs";
import { binary, environment, root } from "./paths.mjs";

/** Number of older bundles to keep. A running gateway loads parts of its own bundle on demand. */
const OLDER_BUNDLES = 3;

export async function run() {
	if (!(await install())) return 1;
	return (await build({ replace: true })) ? 0 : 1;
}

/**
 * Installs missing packages, and makes a bundle unless one exists for the present sources. If the installation fails,
 * prints instructions and resolves to false. If only the bundle fails, resolves to true, because the command can run
 * the sources.
 */
export async function prepare() {
	if (!(await install())) return false;
	if (findBundle() === undefined) await build();
	return true;
}

/**
 * Makes the bundle. If this fails, prints the reason and resolves to false.
 * @param {{ replace?: boolean }} [options] Whether to replace a bundle that another process made in the meantime.
 */
export async function build({ replace = false } = {}) {
	console.error("parley: making the bundle, which starts faster than the sources …");
	const began = performance.now();
	const facts = factsOfSources();
	const folder = join(bundles, createHash("sha256").update(facts).digest("hex").slice(0, 16));
	const draft = `${folder}.${process.pid}`;
	try {
		await writeBundle(draft);
		writeFileSync(join(draft, factsFile), facts);
		if (factsOfSources() !== facts) throw new Error("the sources were changed meanwhile");
		if (replace || findBundle() !== folder) place(draft, folder);
	} catch (error) {
		const reason = error instanceof Error ? error.message : error;
		console.error(`${reason}\n\nparley: the bundle could not be made; the sources are run as they are`);
		return false;
	} finally {
		rmSync(draft, { recursive: true, force: true });
	}
	deleteOtherBuilds(folder);
	console.error(`parley: made in ${seconds(began)}`);
	return true;
}

/**
 * Bundles the present sources into a new folder.
 * @param {string} folder
 */
export async function writeBundle(folder) {
	mkdirSync(folder, { recursive: true });
	const program = join(root, "scripts/bundle.mjs");
	const { code, output } = await capture(binary("node"), [program, folder], { env: environment() });
	if (code !== 0) throw new Error(output.trim());
}

/**
 * Renames the draft to `folder`. Several processes may do this at the same time, because their bundles are equal.
 * @param {string} draft
 * @param {string} folder
 */
function place(draft, folder) {
	rmSync(folder, { recursive: true, force: true });
	try {
		renameSync(draft, folder);
	} catch (error) {
		if (findBundle() !== folder) throw error;
	}
}

/**
 * Deletes old folders of builds. Keeps the folder `made` and the newest `OLDER_BUNDLES` other folders. Drafts that
 * killed builds left are also such folders.
 * @param {string} made
 */
function deleteOtherBuilds(made) {
	const others = readdirSync(bundles).map((name) => join(bundles, name));
	const dated = others
		.filter((folder) => folder !== made)
		.map((folder) => ({ folder, at: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
	dated.sort((one, other) => other.at - one.at);
	for (const { folder } of dated.slice(OLDER_BUNDLES)) rmSync(folder, { recursive: true, force: true });
}
