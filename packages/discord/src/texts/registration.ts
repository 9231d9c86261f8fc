/** Findings of `parley discord doctor` about the commands at Discord. */
export const registrationTexts = {
	upToDate: "the commands at Discord are up to date",
	outdated: ({ commands }: { readonly commands: string }) =>
		`the commands at Discord are not up to date: ${commands}`,
	outdatedFix: "run `parley discord doctor --fix`, or restart the connector",
	restored: ({ commands }: { readonly commands: string }) => `restored the commands at Discord: ${commands}`,
	faults: { create: "missing", change: "overwritten", delete: "obsolete" },
} as const;
