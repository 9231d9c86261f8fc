import { lstat, mkdir, readdir, readlink, rename, rm, symlink } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { isWithin } from "@parley/core";

/** Targets of links, by their paths relative to an npm prefix. */
export type Links = Readonly<Record<string, string>>;

/** Directories in which npm creates links: https://docs.npmjs.com/cli/v11/configuring-npm/folders */
const directories = ["bin", "share/man/man1"];

/** Resolves with the links in a prefix that lead into a package. */
export async function readLinks(prefix: string, home: string): Promise<Links> {
	const found: Record<string, string> = {};
	for (const directory of directories) {
		const names = await readdir(join(prefix, directory)).catch(() => []);
		for (const name of names) {
			const target = await readlink(join(prefix, directory, name)).catch(() => undefined);
			if (target === undefined || !isWithin(resolve(prefix, directory, target), home)) continue;
			found[`${directory}/${name}`] = target;
		}
	}
	return found;
}

/**
 * Creates the links of a package, and removes other links that lead into the package. Other files stay, except a file
 * at the path of the command.
 */
export async function replaceLinks(prefix: string, home: string, links: Links): Promise<void> {
	const present = await readLinks(prefix, home);
	for (const [path, target] of Object.entries(links)) {
		const isFree = await lstat(join(prefix, path)).then(
			() => false,
			() => true,
		);
		if (isFree || present[path] !== undefined || path === commandLink) {
			await placeLink(join(prefix, path), target);
		}
	}
	for (const path of Object.keys(present)) {
		if (links[path] === undefined) await rm(join(prefix, path), { force: true });
	}
}

/** Link of the command. It leads to a usable program at every moment of an upgrade. */
const commandLink = "bin/parley";

/** Makes the command start this program. */
export async function pointCommand(prefix: string, program: string): Promise<void> {
	const path = join(prefix, commandLink);
	await placeLink(path, relative(dirname(path), program));
}

async function placeLink(path: string, target: string): Promise<void> {
	await mkdir(dirname(path), { recursive: true });
	const draft = `${path}.parley-upgrade`;
	await rm(draft, { force: true });
	await symlink(target, draft);
	await rename(draft, path);
}
