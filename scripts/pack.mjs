import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { capture } from "./capture.mjs";
import { stageCommand } from "./command-package.mjs";
import { install } from "./install.mjs";
import { libraries, stageLibrary } from "./library-packages.mjs";
import { environment, root } from "./paths.mjs";

const command = "command";
const all = [...libraries, command];

/**
 * Makes the npm packages of Parley, as files in a folder, and prints their paths.
 * @param {readonly string[]} args The folder (default: `dist`), followed by names of packages (default: all).
 */
export async function run([folder = join(root, "dist"), ...names]) {
	const unknown = names.find((name) => !all.includes(name));
	if (unknown !== undefined) {
		console.error(`parley: unknown package "${unknown}": use one of ${all.join(", ")}`);
		return 2;
	}
	if (!(await install())) return 1;
	const target = resolve(folder);
	const stage = mkdtempSync(join(tmpdir(), "parley-pack-"));
	try {
		mkdirSync(target, { recursive: true });
		for (const name of names.length > 0 ? names : all) {
			const draft = join(stage, name);
			await (name === command ? stageCommand(draft) : stageLibrary(name, draft));
			console.log(await packInto(target, draft));
		}
		return 0;
	} catch (error) {
		console.error(`parley: cannot make the packages. ${error instanceof Error ? error.message : error}`);
		return 1;
	} finally {
		rmSync(stage, { recursive: true, force: true });
	}
}

/**
 * Packs the folder `stage` into a tarball in `target`. Resolves with the path of the tarball.
 * @param {string} target
 * @param {string} stage
 */
async function packInto(target, stage) {
	const args = ["pack", stage, "--ignore-scripts", "--pack-destination", target];
	const { code, output } = await capture("npm", args, { env: environment() });
	if (code !== 0) throw new Error(`npm ${args.join(" ")} ended with ${code}:\n${output.trim()}`);
	// The output of npm depends on its version and can contain notices, so the name of the tarball is computed.
	const { name, version } = JSON.parse(readFileSync(join(stage, "package.json"), "utf8"));
	return join(target, `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`);
}
