export const uninstallHelp = {
	description: "stop the gateway, remove its service, and ask whether to delete its data",
	notes: `
Asks before it deletes data, and keeps data without a terminal. It does not
remove the program: the last lines name the command that does.
`,
	deleteData: "delete the data directory, with all sessions, keys and tokens",
	dataStays: "keep the data directory",
	dryRun: "print what would be removed, and change nothing",
} as const;
