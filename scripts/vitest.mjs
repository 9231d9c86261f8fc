import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countVitest } from "./counts.mjs";
import { binary, environment, root } from "./paths.mjs";

/**
 * Runs vitest, which prints as usual, and counts its tests. After `limitMs` it is ended, which counts as failed.
 * @param {{ args?: readonly string[], env?: NodeJS.ProcessEnv, limitMs: number }} options
 * @returns {Promise<import("./counts.mjs").Counts>}
 */
export async function vitest({ args = [], env = {}, limitMs }) {
	const folder = mkdtempSync(join(tmpdir(), "parley-test-"));
	const report = join(folder, "report.json");
	try {
		const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
		const child = spawn(binary("vitest"), ["run", ...reporters, ...args], {
			cwd: root,
			env: { ...environment(), ...env },
			stdio: ["ignore", "inherit", "inherit"],
			timeout: limitMs,
		});
		const code = await new Promise((resolve) => {
			child.on("error", () => resolve(127));
			child.on("exit", resolve);
		});
		return countVitest(existsSync(report) ? readFileSync(report, "utf8") : undefined, code === 0);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
