import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { endInTime } from "./end-in-time.mjs";
import { binary, environment, root } from "./paths.mjs";

const folder = join(root, "test/bench");

/** Returns the names of all benches: the programs in test/bench. Shared code is in its subfolders. */
export function benches() {
	if (!existsSync(folder)) return [];
	const files = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
	return files.map((name) => name.slice(0, -".ts".length)).sort();
}

/**
 * Runs one bench on the workspace's Node, with the output of this process. A bench exits with 1 if it misses a limit.
 * @param {string} name
 * @param {readonly string[]} args
 * @param {number} [limitMs] Time limit. A bench that exceeds it is stopped and counts as failed.
 * @returns {Promise<number>} The exit code.
 */
export async function bench(name, args, limitMs = 2 ** 31 - 1) {
	const child = spawn(binary("node"), [join(folder, `${name}.ts`), ...args], {
		cwd: root,
		env: environment(),
		stdio: ["ignore", "inherit", "inherit"],
	});
	const { code, isLate } = await endInTime(child, limitMs);
	if (isLate) console.log(`bench ${name} took more than ${Math.round(limitMs / 1000)} s`);
	return isLate ? Math.max(code, 1) : code;
}
