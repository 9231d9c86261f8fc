import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { add, one } from "./counts.mjs";
import { endInTime } from "./end-in-time.mjs";
import { binary, environment, root } from "./paths.mjs";
import { countProgress, unfinished } from "./progress.mjs";

/**
 * Runs vitest, which prints as usual, and counts its tests. After `limitMs` it is ended, which counts as one failed
 * test more; what was still running is told then, and what had ended is counted.
 * @param {{ args?: readonly string[], env?: NodeJS.ProcessEnv, limitMs: number }} options
 * @returns {Promise<import("./counts.mjs").Counts>}
 */
export async function vitest({ args = [], env = {}, limitMs }) {
	const folder = mkdtempSync(join(tmpdir(), "parley-test-"));
	const file = join(folder, "progress.jsonl");
	writeFileSync(file, "");
	try {
		const child = spawn(binary("vitest"), ["run", ...args], {
			cwd: root,
			// vitest.config.ts has it written down there.
			env: { ...environment(), ...env, PARLEY_TEST_PROGRESS: file },
			stdio: ["ignore", "inherit", "inherit"],
		});
		const { code, isLate } = await endInTime(child, limitMs);
		const progress = readFileSync(file, "utf8");
		if (!isLate) return countProgress(progress, code === 0);
		const left = unfinished(progress).map((what) => `\n  ${what}`);
		console.log(`the tests took more than ${Math.round(limitMs / 1000)} s; still running:${left.join("")}`);
		return add(countProgress(progress, true), one(false));
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
