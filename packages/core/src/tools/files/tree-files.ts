import { stat } from "node:fs/promises";
import { join } from "node:path";
import { definedItems, ParleyError } from "@parley/base";
import { fileError } from "../../filesystem/file-error.ts";
import { belongsToGateway, type ForbiddenPaths } from "../../filesystem/paths.ts";
import { completeLines } from "../../text/visible.ts";
import type { CommandOutcome, Sandbox } from "../../vocabulary/sandbox.ts";
import { treeTexts } from "./texts.ts";

/** Maximum bytes of output. If ripgrep writes more, only the first `MAX_OUTPUT_BYTES / 2` bytes are used. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** Glob that excludes names with a control character, because control characters separate the parts of the output. */
const CONTROLS = "!*[\u{1}-\u{1f}\u{7f}]*";

interface SearchContext {
	readonly sandbox: Sandbox;
	readonly signal: AbortSignal;
}

export interface TreeFiles {
	/** Paths relative to the directory, in ascending order. */
	readonly files: readonly string[];
	/** Reason why there may be more files, or undefined for a complete result. */
	readonly incomplete: string | undefined;
}

/**
 * Finds the files below a real directory. Leaves out ignored files (`.gitignore`, `.ignore`), links, files in
 * `.git`, files of the gateway, and paths with a control character. Includes hidden files only if `hidden` is true.
 */
export async function findTreeFiles(
	directory: string,
	hidden: boolean,
	context: SearchContext & ForbiddenPaths,
): Promise<TreeFiles> {
	const args = definedItems([
		"--files",
		"--no-require-git",
		"--sort=path",
		hidden ? "--hidden" : undefined,
		`--glob=${CONTROLS}`,
		"--glob=!.git",
		"--",
		"./",
	]);
	const outcome = await runRipgrep({ args, cwd: directory, maxOutputBytes: MAX_OUTPUT_BYTES }, context);
	const { lines, cut } = completeLines(outcome);
	const files = lines
		.filter((line) => line.startsWith("./"))
		.map((line) => line.slice("./".length))
		.filter((file) => !belongsToGateway(join(directory, file), context));
	// Ripgrep sorts directory by directory, which differs from code-unit order, so the result is sorted again.
	return { files: files.sort(), incomplete: incompleteReason(outcome, cut) };
}

function incompleteReason({ code, timedOut }: CommandOutcome, cut: boolean): string | undefined {
	if (timedOut) return treeTexts.tooSlow;
	if (cut) return treeTexts.tooMany;
	// Exit code 1 means that no file was found, 2 means an error ("exit status" in rg.1).
	return code === 0 || code === 1 ? undefined : treeTexts.unreadable;
}

/** Throws if the path is not a directory, or cannot be inspected. `text` is the name of the path in errors. */
export async function requireDirectory(path: string, text: string): Promise<void> {
	try {
		if ((await stat(path)).isDirectory()) return;
	} catch (reason) {
		throw fileError(treeTexts.cannotRead(text), reason);
	}
	throw new ParleyError(treeTexts.notDirectory(text), { code: "invalid_argument" });
}

/** Maximum milliseconds for one run of ripgrep. */
const TIMEOUT_MS = 20_000;

/**
 * Options of every search. A configuration file could add options, and messages about single files would mix
 * with the result.
 */
const ALWAYS = ["--no-config", "--no-messages", "--color=never"];

interface Start {
	readonly args: readonly string[];
	/** Absolute real path. */
	readonly cwd: string;
	readonly maxOutputBytes: number;
}

/** Runs ripgrep in the sandbox. Throws `cancelled` if the call is cancelled. */
export async function runRipgrep(
	{ args, cwd, maxOutputBytes }: Start,
	{ sandbox, signal }: SearchContext,
): Promise<CommandOutcome> {
	const outcome = await sandbox.run({
		executable: await findRipgrep(),
		args: [...ALWAYS, ...args],
		cwd,
		power: "read",
		timeoutMs: TIMEOUT_MS,
		maxOutputBytes,
		signal,
	});
	if (signal.aborted) throw new ParleyError("cancelled", { code: "cancelled" });
	return outcome;
}

/**
 * Resolves with the path of ripgrep. Rejects with `failed_precondition` if its package cannot be loaded, for
 * example on a platform without a build.
 */
export async function findRipgrep(load = () => import("@vscode/ripgrep")): Promise<string> {
	try {
		const { rgPath } = await load();
		return rgPath;
	} catch (cause) {
		throw new ParleyError(treeTexts.noRipgrep(process.platform, process.arch), {
			code: "failed_precondition",
			cause,
		});
	}
}

/** Returns the first lines that fit both limits. `bytes` includes one byte for the newline of each line. */
export function boundedLines(
	lines: readonly string[],
	{ count, bytes }: { readonly count: number; readonly bytes: number },
): string[] {
	const shown: string[] = [];
	let left = bytes;
	for (const line of lines.slice(0, count)) {
		left -= Buffer.byteLength(line) + 1;
		if (left < 0) break;
		shown.push(line);
	}
	return shown;
}
