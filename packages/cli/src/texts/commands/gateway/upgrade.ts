/** Help of `parley upgrade`. */
export const upgradeHelp = {
	description: "install a newer version, migrate the data, and go back if that fails",
	to: "version or tag of npm, or path of a package (default: the latest version)",
	check: "print what would be upgraded, and change nothing",
	copies: "directory for copies of the data (default: DATA-copies beside the data)",
	notes: `
Stops the gateways of this installation, copies their data and starts them
again. After a failure, the old version and the old data are back. If the
command was interrupted, run it again.
`,
} as const;
