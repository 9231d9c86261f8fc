export const doctorHelp = {
	notes: `
Works with and without a running gateway. Changes nothing without --fix, and
calls no model. A finding has an id that never changes, a status (ok, warn or
fail) and, if there is a problem, its fix on this system. Exit code: 1 if a
check fails; 0 otherwise, also with warnings.

--deep also compares the stored text of all sessions with its hashes, for at
most 10 minutes. A million rows take about 15 seconds.
`,
	description: "check the installation and explain how to fix problems",
	deep: "also check the stored text of all sessions",
	fix: "restore commands that were deleted or overwritten on Discord; requires DISCORD_TOKEN",
} as const;

export const doctorMessages = {
	commandsNotRestored: "the commands on Discord were not restored: DISCORD_TOKEN is not set",
	howToRestoreCommands: "set DISCORD_TOKEN to the token of the bot, and run `parley doctor --fix` again",
} as const;
