import { ParleyError } from "@parley/base";
import type { CommandOutcome, Sandbox } from "../sandbox.ts";
import { carefulEnvironment, carefulOptions } from "../tools/git/careful.ts";

const TIMEOUT_MS = 2_000;
const MAX_OUTPUT_BYTES = 256 * 1024;
const MAX_NAME = 200;

const STATUS = ["status", "--porcelain=v2", "--branch", "--ignore-submodules=all"];
const LAST_COMMIT = ["log", "-1", "--no-show-signature", "--format=subject %s"];
const FILTERS = ["config", "--name-only", "--get-regexp", "^filter\\."];

/** One line: branch, counts of changes, subject of the last commit; or why that is not known. Never rejects. */
export async function describeGit(sandbox: Sandbox, cwd: string): Promise<string> {
	const git = (args: readonly string[], filters: readonly string[] = []): Promise<CommandOutcome> =>
		sandbox.run({
			executable: "git",
			// Nobody was asked: no program that the repository names may start while git looks.
			args: [...carefulOptions("read", filters), ...args],
			environment: carefulEnvironment("read", []),
			cwd,
			power: "read",
			timeoutMs: TIMEOUT_MS,
			maxOutputBytes: MAX_OUTPUT_BYTES,
			signal: new AbortController().signal,
		});
	try {
		const filters = filtersIn((await git(FILTERS)).output);
		const [status, log] = await Promise.all([git(STATUS, filters), git(LAST_COMMIT)]);
		if (status.timedOut) return `not known: git took longer than ${TIMEOUT_MS / 1000} seconds`;
		if (status.code !== 0) return describeFailure(status);
		const empty = status.output.includes("# branch.oid (initial)\n");
		return `${describeStatus(status.output)}; ${empty ? "no commit yet" : describeCommit(log)}`;
	} catch (reason) {
		return `not known: ${ParleyError.from(reason).message}`;
	}
}

/** The names of filters that any settings know. */
function filtersIn(output: string): string[] {
	// A name cannot hold a line break: https://git-scm.com/docs/git-config#_syntax
	const names = output.split("\n").flatMap((key) => /^filter\.(.+)\.[^.]+$/.exec(key)?.[1] ?? []);
	return [...new Set(names)];
}

function describeFailure({ code, signal, output }: CommandOutcome): string {
	if (output.includes("not a git repository")) return "not a git repository";
	const [line = ""] = output.trim().split("\n");
	return `not known: git ended with ${code ?? signal}: ${cut(line)}`;
}

/** Reads https://git-scm.com/docs/git-status#_porcelain_format_version_2 and ignores lines of other shapes. */
function describeStatus(output: string): string {
	const lines = output.split("\n");
	const head = lines.find((line) => line.startsWith("# branch.head "))?.slice("# branch.head ".length);
	const count = (pattern: RegExp): number => lines.filter((line) => pattern.test(line)).length;
	const counts = [
		[count(/^[12] [^.]/), "staged"],
		[count(/^[12] .[^.]/), "changed"],
		[count(/^u /), "in conflict"],
		[count(/^\? /), "untracked"],
	] as const;
	const found = counts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
	const atLeast = Buffer.byteLength(output) >= MAX_OUTPUT_BYTES ? "at least " : "";
	const changes = found.length === 0 ? "no changes" : `${atLeast}${found.join(", ")}`;
	return `${head === "(detached)" ? "detached head" : `branch ${cut(head ?? "unknown")}`}; ${changes}`;
}

function describeCommit({ code, output }: CommandOutcome): string {
	const subject = output.split("\n").find((line) => line.startsWith("subject "));
	if (code !== 0 || subject === undefined) return "last commit not known";
	return `last commit "${cut(subject.slice("subject ".length))}"`;
}

function cut(text: string): string {
	return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME).toWellFormed()}…` : text;
}
