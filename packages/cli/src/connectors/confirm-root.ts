import { findProject, readProjects } from "@parley/gateway/settings";
import type { Io } from "../command-line/io.ts";
import { printNotice } from "../command-line/output.ts";
import { confirmInWords } from "../gateway/projects.ts";
import { rootTexts } from "../texts/gateway/start.ts";

/**
 * Asks the operator at the terminal to confirm `/` as a root, unless the operator has allowed `/` as a project. Returns
 * the exit code of a start that was not confirmed, otherwise undefined.
 */
export async function confirmRoot(data: string, io: Io): Promise<1 | 130 | undefined> {
	if (findProject("/", await readProjects(data))?.allowed) return undefined;
	const isConfirmed = await confirmInWords(rootTexts.confirmRoot, io);
	if (isConfirmed) return undefined;
	if (isConfirmed === undefined) return 130;
	printNotice(rootTexts.notStarted, io);
	return 1;
}
