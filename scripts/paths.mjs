import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const binaries = join(root, "node_modules/.bin");

/**
 * Returns the path of a program of an installed package. "node" is the workspace's own Node 24.
 * @param {string} name
 */
export function binary(name) {
	return join(binaries, name);
}

/**
 * Returns the environment for child processes. The workspace's programs (including Node 24) are first in PATH. Colours
 * are off if the output is not a terminal, unless FORCE_COLOR is set.
 * @returns {NodeJS.ProcessEnv}
 */
export function environment() {
	const plain = process.stdout.isTTY !== true && !("FORCE_COLOR" in process.env);
	const path = [binaries, process.env["PATH"]].join(delimiter);
	return { ...process.env, PATH: path, ...(plain && { NO_COLOR: "1" }) };
}
