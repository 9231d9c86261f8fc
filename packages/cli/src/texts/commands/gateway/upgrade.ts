export const upgradeHelp = {
	description: "install a newer version, migrate the data, and go back if that fails",
	to: "version or tag of npm, or path of a package (default: the latest version)",
	check: "print what would be upgraded, and change nothing",
	copies: "directory for copies of the data (default: DATA-copies beside the data)",
	notes: `
Stops the gateways of this installation, copies their data and starts them
again. If a step fails, it restores the old version and the old data. If the
command was interrupted, run it again.

Examples:
  parley upgrade --check
  parley upgrade --to ./parley-agent-0.2.0.tgz
`,
} as const;
