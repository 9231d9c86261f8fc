import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { add, one } from "./counts.mjs";
import { endInTime } from "./end-in-time.mjs";
import { binary, environment, root } from "./paths.mjs";
import { countProgress, unfinished } from "./progress.mjs";

/** Maximum milliseconds to count the tests of a stopped run. */
const LIST_LIMIT_MS = 180_000;

/**
 * Runs vitest with its usual output, and counts its tests. Stops a run that exceeds `limitMs`, which adds one
 * failure. The output then names the tests that were running. The failure contains the number of tests that did not
 * run, if vitest can list all tests in time.
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
			// vitest.config.ts passes this file to the reporter of the progress.
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
		const running = unfinished(progress).map((name) => `\n  ${name}`);
		const reason = `the tests took more than ${Math.round(limitMs / 1000)} s`;
		console.log(`${reason}; these were running:${running.join("")}`);
		const ended = countProgress(progress, true);
		const total = await countAll(args, env, folder);
		const rest =
			total === undefined
				? "the tests that did not run could not be counted"
				: `${total - ended.passed - ended.failed - ended.skipped} of ${total} tests did not run`;
		return add(ended, one(false, `${reason}: ${rest}`));
	} finally {
		rmSync(folder, { recursive: true, force: true });
		if (memory !== undefined) forget(memory);
	}
}

/**
 * Resolves with the number of tests, or undefined if vitest fails or needs too long.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {string} folder Folder for the list.
 */
async function countAll(args, env, folder) {
	const file = join(folder, "list.json");
	// The static parser does not find tests that a function of a test file declares.
	const child = spawn(binary("vitest"), ["list", ...args, "--no-static-parse", `--json=${file}`], {
		cwd: root,
		env: { ...environment(), ...env },
		stdio: "ignore",
	});
	const { code, isLate } = await endInTime(child, LIST_LIMIT_MS);
	return code === 0 && !isLate ? JSON.parse(readFileSync(file, "utf8")).length : undefined;
}

/**
 * @param {string} directory Directory of the tests. A stopped test may have left files in it that only their owner can
 * remove.
 */
function forget(directory) {
	try {
		rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
	} catch (error) {
		console.log(`${directory} is left behind: ${error instanceof Error ? error.message : error}`);
	}
}

/** Minimum free bytes of /dev/shm. The tests write a tenth of this amount. */
const ROOM = 2 ** 30;

/**
 * Returns a temporary directory in memory, or undefined if the tests cannot use /dev/shm. Docker makes /dev/shm
 * small, and some systems do not start programs in /dev/shm.
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
