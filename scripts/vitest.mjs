import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
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
	const memory = directoryInMemory();
	try {
		const child = spawn(binary("vitest"), ["run", ...args], {
			cwd: root,
			// vitest.config.ts has it written down there.
			env: {
				...environment(),
				...env,
				PARLEY_TEST_PROGRESS: file,
				...(memory !== undefined && { PARLEY_TEST_MEMORY: memory }),
			},
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
		if (memory !== undefined) forget(memory);
	}
}

/** @param {string} directory A test that was ended may have left in it what only its owner can remove. */
function forget(directory) {
	try {
		rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
	} catch (error) {
		console.log(`${directory} is left behind: ${error instanceof Error ? error.message : error}`);
	}
}

/** What the tests write there comes to a tenth of this. */
const ROOM = 2 ** 30;

/**
 * A new directory in memory. Undefined where there is none, or none with room in which programs may be started, as in
 * a container with the small /dev/shm that Docker makes.
 */
function directoryInMemory() {
	const [place, folder] = ["/dev/shm", "/dev/shm/parley-test-"];
	/** @type {string | undefined} */
	let made;
	try {
		const { bavail, bsize } = statfsSync(place);
		if (bavail * bsize < ROOM) return undefined;
		made = mkdtempSync(folder);
		const program = join(made, "program");
		writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 });
		execFileSync(program, { stdio: "ignore" });
		rmSync(program);
		return made;
	} catch {
		if (made !== undefined) rmSync(made, { recursive: true, force: true });
		return undefined;
	}
}
