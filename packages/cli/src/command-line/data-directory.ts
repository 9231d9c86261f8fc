import { join, resolve } from "node:path";
import { homeDirectory } from "@parley/base/own-account";
import { shellWord } from "../text/shell-word.ts";
import type { Io } from "./io.ts";

/** Returns the data directory if neither `--data` nor `PARLEY_DATA` is set. */
export async function defaultDataDirectory(): Promise<string> {
	// env-paths reads the home directory when the module is loaded, and throws on a system without a home directory.
	if (homeDirectory() === "/") return join(process.env["XDG_DATA_HOME"] || "/.local/share", "parley");
	const { default: envPaths } = await import("env-paths");
	return envPaths("parley", { suffix: "" }).data;
}

/** Returns the directory for files that may be deleted at any time. */
export async function cacheDirectory(): Promise<string> {
	const { default: envPaths } = await import("env-paths");
	return envPaths("parley", { suffix: "" }).cache;
}

/** Returns the data directory of a command: `--data`, otherwise `PARLEY_DATA`, otherwise the default. */
export async function chosenDataDirectory(given: string | undefined, io: Io): Promise<string> {
	const named = given ?? (io.environment["PARLEY_DATA"] || undefined);
	return named === undefined ? await defaultDataDirectory() : resolve(io.cwd, named);
}

/** Returns the flag `--data` with its value, or "" if commands find the data directory without the flag. */
export function dataFlag(data: string, defaultData: string): string {
	return data === defaultData ? "" : ` --data ${shellWord(data)}`;
}
