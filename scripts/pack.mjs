import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { capture } from "./capture.mjs";
import { stageCommand } from "./command-package.mjs";
import { install } from "./install.mjs";
import { environment, root } from "./paths.mjs";

/**
 * Makes the npm packages of Parley, as files in a folder.
 * @param {readonly string[]} args The folder, by default `dist`.
 */
export async function run([folder = join(root, "dist")]) {
	if (!(await install())) return 1;
	const target = resolve(folder);
	const stage = mkdtempSync(join(tmpdir(), "parley-pack-"));
	try {
		mkdirSync(target, { recursive: true });
		await stageCommand(stage);
		console.log(await packInto(target, stage));
		return 0;
	} catch (error) {
		console.error(`parley: the package could not be made. ${error instanceof Error ? error.message : error}`);
		return 1;
	} finally {
		rmSync(stage, { recursive: true, force: true });
	}
}

/**
 * Packs a staged package with npm. Returns the path of the tarball.
 * @param {string} target
 * @param {string} stage
 */
async function packInto(target, stage) {
	const args = ["pack", stage, "--json", "--ignore-scripts", "--pack-destination", target];
	const { code, output } = await capture("npm", args, { env: environment() });
	if (code !== 0) throw new Error(`npm ${args.join(" ")} ended with ${code}:\n${output.trim()}`);
	const [{ filename }] = JSON.parse(output.slice(output.indexOf("[\n")));
	return join(target, filename);
}
