import { realpath } from "node:fs/promises";
import { readProjects } from "@parley/gateway/settings";
import type { Io } from "../command-line/io.ts";
import { broadDirectory, isWithinData } from "../gateway/projects.ts";

/**
 * Resolves with the directory in which a gateway starts: an allowed directory, otherwise the current directory.
 * Resolves with undefined if the current directory would be used, but is too broad or inside the data directory.
 */
export async function startDirectory(data: string, io: Io): Promise<string | undefined> {
	const allowed = (await readProjects(data)).find((project) => project.allowed);
	if (allowed) return allowed.directory;
	const here = await realpath(io.cwd);
	return (await broadDirectory(here)) === undefined && !isWithinData(here, data) ? here : undefined;
}
