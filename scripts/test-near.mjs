import { execFileSync } from "node:child_process";
import { prepare } from "./build.mjs";
import { add, none, one, report } from "./counts.mjs";
import { testsNear } from "./near-tests.mjs";
import { root } from "./paths.mjs";
import { vitest } from "./vitest.mjs";

/**
 * Runs the tests of what changed since the branch left `main`, uncommitted changes included: the tests that import a changed
 * file, then the whole-system tests of `near-tests.mjs`. Long tests are left to `npm run test:ci`.
 */
export async function run() {
	const counts = (await prepare()) ? await testChanges() : one(false, "preparation");
	report(counts);
	return counts.failed === 0 ? 0 : 1;
}

async function testChanges() {
	const base = git("merge-base", "main", "HEAD")[0] ?? "HEAD";
	const files = [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")];
	if (files.length === 0) return none;
	const limitMs = Number.POSITIVE_INFINITY;
	const related = await vitest({ args: ["--changed", base, "--passWithNoTests"], limitMs });
	const near = testsNear(files);
	if (near.length === 0) return related;
	return add(related, await vitest({ args: [...near, "--passWithNoTests"], limitMs }));
}

/** @param {readonly string[]} args */
function git(...args) {
	return execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
}
