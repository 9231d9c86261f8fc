import { execFileSync } from "node:child_process";
import { prepare } from "./build.mjs";
import { add, none, one, report } from "./counts.mjs";
import { testsNear } from "./near-tests.mjs";
import { root } from "./paths.mjs";
import { vitest } from "./vitest.mjs";

const help = `npm run test:near

Runs the tests near the files that differ from main, untracked files included:
  1. tests that import a changed file
  2. the tests that scripts/near-tests.mjs names for its folder ("Tests to run" in AGENTS.md)

On a branch, files are compared with the commit where it left main. On main, they are compared with
the commit where it left origin/main, or with the commit before.
Long tests (*.ci.test.ts) are left out: run one with PARLEY_TEST_SCALE=ci vitest run PATH.
For one folder or file of tests, use vitest run PATH.

  --help  print this text
`;

/**
 * Runs the tests near the changed files, as the help describes. Returns 2 for an unknown argument.
 * @param {readonly string[]} args
 */
export async function run(args) {
	const unknown = args.find((each) => each !== "--help" && each !== "-h");
	if (unknown !== undefined) {
		process.stderr.write(`unknown argument "${unknown}": test:near takes --help only\n`);
		return 2;
	}
	if (args.length > 0) {
		process.stdout.write(help);
		return 0;
	}
	const counts = (await prepare()) ? await testChanges() : one(false, "preparation");
	report(counts);
	return counts.failed === 0 ? 0 : 1;
}

async function testChanges() {
	const base = comparedWith(git);
	const files = [...git("diff", "--name-only", base), ...git("ls-files", "--others", "--exclude-standard")];
	process.stdout.write(`Tests of ${files.length} files that differ from ${base.slice(0, 8)}\n`);
	if (files.length === 0) return none;
	const limitMs = Number.POSITIVE_INFINITY;
	const related = await vitest({ args: ["--changed", base, "--passWithNoTests"], limitMs });
	const near = testsNear(files);
	if (near.length === 0) return related;
	return add(related, await vitest({ args: [...near, "--passWithNoTests"], limitMs }));
}

/**
 * Returns the commit with which the files are compared. On a branch, it is the commit at which the branch left `main`,
 * or `origin/main` in a clone without `main`. On `main`, it is the commit at which `main` left `origin/main`. If that
 * is the latest commit and no file differs from it, for example after a push, it is the previous commit.
 * @param {(...args: string[]) => string[]} ask Runs git and returns the lines of its output.
 */
export function comparedWith(ask) {
	const known = ask(
		"for-each-ref",
		"--format=%(refname:short)",
		"refs/heads/main",
		"refs/remotes/origin/main",
	);
	const [branch] = ask("branch", "--show-current");
	const upstream = known.find((name) => name !== branch);
	const [head = "HEAD"] = ask("rev-parse", "HEAD");
	const [left = head] = upstream === undefined ? [] : ask("merge-base", upstream, "HEAD");
	if (left !== head || branch !== "main" || ask("status", "--porcelain").length > 0) return left;
	return ask("rev-list", "--max-count=2", "HEAD")[1] ?? head;
}

/** @param {readonly string[]} args */
function git(...args) {
	return execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
}
