import { lstat, realpath, rm } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/**
 * Resolves with the links that lead to the program. The links have the name `parley` and are in the directories of
 * `PATH`. In a clone, `npm start` creates such a link.
 */
export async function ownLinks(program: string, { PATH = "" }: NodeJS.ProcessEnv): Promise<string[]> {
	const folders = [...new Set(PATH.split(delimiter).filter(isAbsolute))];
	const links = folders.map((folder) => join(folder, "parley"));
	const isOwn = await Promise.all(links.map((link) => leadsTo(link, program)));
	return links.filter((_, index) => isOwn[index]);
}

/** Removes a link. Returns false if it cannot be removed. */
export async function removeLink(link: string): Promise<boolean> {
	return await rm(link, { force: true }).then(
		() => true,
		() => false,
	);
}

async function leadsTo(link: string, program: string): Promise<boolean> {
	try {
		return (await lstat(link)).isSymbolicLink() && (await realpath(link)) === program;
	} catch {
		return false;
	}
}
