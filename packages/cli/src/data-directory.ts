import { resolve } from "node:path";
import type { Io } from "./io.ts";

/** Where conversations and tokens live unless told. */
export async function defaultDataDirectory(): Promise<string> {
	const { default: envPaths } = await import("env-paths");
	return envPaths("parley", { suffix: "" }).data;
}

/** Directory for files that may be lost. */
export async function cacheDirectory(): Promise<string> {
	const { default: envPaths } = await import("env-paths");
	return envPaths("parley", { suffix: "" }).cache;
}

/** The data directory that a command works with: `--data`, else `PARLEY_DATA`, else the default. */
export async function chosenDataDirectory(given: string | undefined, io: Io): Promise<string> {
	const named = given ?? (io.environment["PARLEY_DATA"] || undefined);
	return named === undefined ? await defaultDataDirectory() : resolve(io.cwd, named);
}
