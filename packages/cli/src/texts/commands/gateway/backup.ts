export const restoreHelp = {
	notes: `
Stop the gateway of the data directory first. --force moves existing data to
before-restore-TIME in the data directory. Delete that directory when you no
longer need it.

--max-size limits the unpacked size. --max-ratio limits it to a multiple of the
size of the file. A backup above a limit is refused, because it can fill the
disk.

Examples:
  parley restore ~/parley-backup.tar.gz --verify
  parley restore ~/parley-backup.tar.gz --force
`,
	description: "restore a backup that `parley backup` made",
	file: "a file that `parley backup` wrote",
	force: "move existing data to before-restore-TIME",
	verify: "only check whether the file can be restored",
	maxSize: "maximum unpacked size, such as 500MB or 2TB (default: 100GB)",
	maxRatio: "maximum unpacked size, as a multiple of the file size (default: 100)",
} as const;

export const restoreMessages = {
	invalidSize: "Use a number of bytes, such as 500MB, 100GB or 2TB.",
	invalidRatio: "Use a positive whole number, such as 100.",
} as const;

export const backupHelp = {
	notes: `
You do not need to stop the gateway. The file contains sessions, stored files,
agents and settings. It also contains keys and tokens: a person who can read
the file has all permissions of the operator.

Example:
  parley backup ~/parley-backup.tar.gz
`,
	description: "save a data directory to one file",
	file: "path of the backup, a .tar.gz",
} as const;
