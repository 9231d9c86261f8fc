/** Findings of `parley discord doctor` about the commands on Discord. */
export const registrationTexts = {
	upToDate: "the commands on Discord are up to date",
	outdated: ({ commands }: { readonly commands: string }) =>
		`the commands on Discord are not up to date: ${commands}`,
	outdatedFix: "run `parley discord doctor --fix`, or restart the connector",
	corrected: ({ commands }: { readonly commands: string }) =>
		`corrected the commands on Discord: ${commands}`,
	faults: { create: "missing", change: "overwritten", delete: "obsolete" },
	corrections: { create: "added", change: "restored", delete: "deleted" },
} as const;
