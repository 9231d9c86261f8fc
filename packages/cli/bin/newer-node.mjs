import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { hasSources } from "./bundle.mjs";
import { runInPlace } from "./run-in-place.mjs";

/** Path at which `npm start` installs the Node 24 of the workspace. */
const workspaceNode = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url));

/**
 * Runs a script again with the Node of the workspace or of the installed package. If this Node is not
 * installed, prints an error and resolves with 1.
 * @param {readonly string[]} args The script and its arguments.
 * @returns {Promise<number>} The exit code.
 */
export async function runOnNewerNode(args) {
	const node = hasSources ? workspaceNode : installedNode();
	if (node !== undefined && existsSync(node)) return runInPlace(node, args);
	const remedy = hasSources ? "run `npm start` in the clone" : "install Node 24";
	console.error(
		`parley needs Node 24.11 or newer, and this is ${process.version}. Its own Node for ${process.platform}-${process.arch} is not installed: ${remedy}.`,
	);
	return 1;
}

function installedNode() {
	const require = createRequire(import.meta.url);
	try {
		return require.resolve(`node-${process.platform}-${process.arch}/bin/node`);
	} catch {
		// No Node package exists for this platform, or npm has omitted optional packages.
		return undefined;
	}
}
