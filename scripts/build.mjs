import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { bundles, findBundle, folderOfSources } from "../packages/cli/bin/bundle.mjs";
import { capture, seconds } from "./capture.mjs";
import { install } from "./install.mjs";
import { binary, environment, root } from "./paths.mjs";

/** Left in place beside the last one: a gateway that runs loads parts of its own bundle when it needs them. */
const KEPT = 3;

/** Makes the bundle anew. */
export async function run() {
	if (!(await install())) return 1;
	return (await build({ anew: true })) ? 0 : 1;
}

/**
 * Installs what is missing, and makes the bundle where there is none of the sources as they are. Resolves to false,
 * having said what to do, when there is nothing to go on with; without a bundle the sources are run.
 */
export async function prepare() {
	if (!(await install())) return false;
	if (findBundle() === undefined) await build();
	return true;
}

/**
 * Makes the bundle that the command starts faster from. Resolves to false, having said why, when there is none then.
 * @param {{ anew?: boolean }} [options] Whether it replaces one that another process made meanwhile.
 */
export async function build({ anew = false } = {}) {
	console.error("parley: making the bundle, which starts faster than the sources …");
	const began = performance.now();
	const folder = folderOfSources();
	const draft = `${folder}.${process.pid}`;
	try {
		await write(draft);
		if (folderOfSources() !== folder) throw new Error("the sources were changed meanwhile");
		if (anew || findBundle() !== folder) place(draft, folder);
	} catch (error) {
		const reason = error instanceof Error ? error.message : error;
		console.error(`${reason}\n\nparley: the bundle could not be made; the sources are run as they are`);
		return false;
	} finally {
		rmSync(draft, { recursive: true, force: true });
	}
	await warm(folder);
	forgetOld(folder);
	console.error(`parley: made in ${seconds(began)}`);
	return true;
}

/** @param {string} folder */
async function write(folder) {
	mkdirSync(folder, { recursive: true });
	const program = join(root, "scripts/bundle.mjs");
	const { code, output } = await capture(binary("node"), [program, folder], { env: environment() });
	if (code !== 0) throw new Error(output.trim());
}

/**
 * In one step: several processes may do this at once, and the first is as good as the last.
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
 * Has it compiled where it lies, so that the first start is as fast as all others; where that fails, the first is slower.
 * @param {string} folder
 */
async function warm(folder) {
	await capture(binary("node"), [join(root, "scripts/warm.mjs"), folder], { env: environment() });
}

/**
 * Also drafts of those that were killed.
 * @param {string} made
 */
function forgetOld(made) {
	const others = readdirSync(bundles).map((name) => join(bundles, name));
	const dated = others
		.filter((folder) => folder !== made)
		.map((folder) => ({ folder, at: statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0 }));
	dated.sort((one, other) => other.at - one.at);
	for (const { folder } of dated.slice(KEPT)) rmSync(folder, { recursive: true, force: true });
}
