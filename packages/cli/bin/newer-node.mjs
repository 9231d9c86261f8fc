import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runInPlace } from "./run-in-place.mjs";

/** Path at which `npm start` installs the Node 24 of the workspace. */
const workspaceNode = fileURLToPath(new URL("../../../node_modules/.bin/node", import.meta.url));

/**
 * Runs a script again on the Node of the workspace, or prints the required version.
 * @param {readonly string[]} args The script and its arguments.
 * @returns {Promise<number>} The exit code.
 */
export async function runOnNewerNode(args) {
	if (existsSync(workspaceNode)) return runInPlace(workspaceNode, args);
	console.error(
		`parley needs Node 24.11 or newer, and this is ${process.version}. In a clone, \`npm start\` installs it; elsewhere, install Node 24.`,
	);
	return 1;
}
