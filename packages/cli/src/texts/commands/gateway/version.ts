/** Help of `parley version`. */
export const versionHelp = {
	description: "print the versions of Parley, Node.js and the system",
} as const;
