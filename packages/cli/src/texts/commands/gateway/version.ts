export const versionHelp = {
	description: "print the versions of Parley, Node.js and the system",
} as const;

/** Kinds of copies, as `parley version` prints them. */
export const installationKinds = {
	clone: "a clone of the repository",
	global: "installed by npm for all directories",
	npx: "in the cache of npx",
	project: "a library of another package",
};
