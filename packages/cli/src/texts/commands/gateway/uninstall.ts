export const uninstallHelp = {
	description: "stop the gateway, remove its service, and ask whether to delete its data",
	notes: `
Asks before it deletes data. Without a terminal, it deletes the data only with
--data-too and --yes. It does not remove the program: the last lines show the
command that removes the program.
`,
	deleteData: "delete the data directory, with all sessions, keys and tokens",
	dataStays: "keep the data directory",
	dryRun: "print what would be removed, and change nothing",
} as const;
