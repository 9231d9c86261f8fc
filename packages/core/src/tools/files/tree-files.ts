import { stat } from "node:fs/promises";
import { join } from "node:path";
import { definedItems, ParleyError } from "@parley/base";
import { fileError } from "../../filesystem/file-error.ts";
import { belongsToGateway, type ForbiddenPaths } from "../../filesystem/paths.ts";
import { wholeLines } from "../../text/visible.ts";
import type { CommandOutcome, Sandbox } from "../../vocabulary/sandbox.ts";
import { treeTexts } from "./texts.ts";

/** Only the first half is used: about 80 000 paths. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/** Names with a control character are left out, because they would be read as several lines. */
const CONTROLS = "!*[\u{1}-\u{1f}\u{7f}]*";

/** Sandbox that ripgrep runs in, and the signal that ends it. */
interface SearchContext {
	readonly sandbox: Sandbox;
	readonly signal: AbortSignal;
}

export interface TreeFiles {
	/** Relative to the directory, in ascending order. */
	readonly files: readonly string[];
	/** Reason why there may be more, or undefined for a complete result. */
	readonly incomplete: string | undefined;
}

/**
 * Files below a real directory that are neither ignored (`.gitignore`, `.ignore`) nor, by default, hidden. Links are neither
 * followed nor included. Files in `.git` and of the gateway are excluded.
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
	const { lines, cut } = wholeLines(outcome);
	const files = lines
		.filter((line) => line.startsWith("./"))
		.map((line) => line.slice("./".length))
		.filter((file) => !belongsToGateway(join(directory, file), context));
	// Sorted by code units. ripgrep sorts by directories.
	return { files: files.sort(), incomplete: whyIncomplete(outcome, cut) };
}

function whyIncomplete({ code, timedOut }: CommandOutcome, cut: boolean): string | undefined {
	if (timedOut) return treeTexts.tooSlow;
	if (cut) return treeTexts.tooMany;
	// Code 1 means no files, 2 an error ("exit status" in the manual, rg.1).
	return code === 0 || code === 1 ? undefined : treeTexts.unreadable;
}

/** Throws if the path is not a directory that can be read. `text` names it in errors. */
export async function requireDirectory(path: string, text: string): Promise<void> {
	try {
		if ((await stat(path)).isDirectory()) return;
	} catch (reason) {
		throw fileError(treeTexts.cannotRead(text), reason);
	}
	throw new ParleyError(treeTexts.notDirectory(text), { code: "invalid_argument" });
}

/** Milliseconds for one start of ripgrep. */
const TIMEOUT_MS = 20_000;

/**
 * Options of every start: no configuration file, whose options would apply too, and no messages about single files, which
 * would be mixed with the result.
 */
const ALWAYS = ["--no-config", "--no-messages", "--color=never"];

interface Start {
	readonly args: readonly string[];
	/** Absolute and real. */
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

/** The package of ripgrep has a part for each platform and cannot be loaded on other platforms. */
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

/** The first lines that fit within both limits. Bytes are of UTF-8, with the line ends. */
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
