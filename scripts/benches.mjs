import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { binary, environment, root } from "./paths.mjs";

const folder = join(root, "test/bench");

/** The names of all benches: the programs in test/bench. What they share lies in folders beside them. */
export function benches() {
	if (!existsSync(folder)) return [];
	const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
	return files.map((name) => name.slice(0, -".ts".length)).sort();
}

/**
 * Runs one bench on the workspace's Node, with this process's output; it ends with 1 when it misses its floor.
 * @param {string} name
 * @param {readonly string[]} args
 * @param {number} [limitMs] Ended after this time, which counts as failed.
 * @returns {Promise<number>} The exit code.
 */
export function bench(name, args, limitMs) {
	const child = spawn(binary("node"), [join(folder, `${name}.ts`), ...args], {
		cwd: root,
		env: environment(),
		stdio: ["ignore", "inherit", "inherit"],
		...(limitMs !== undefined && { timeout: limitMs }),
	});
	return new Promise((resolve) => {
		child.on("error", () => resolve(127));
		child.on("exit", (code) => resolve(code ?? 1));
	});
}
