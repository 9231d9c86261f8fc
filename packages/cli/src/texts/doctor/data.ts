/** Findings of `parley doctor` about the data directory. */
export const dataCheckTexts = {
	noDirectory: ({ directory }: { readonly directory: string }) => `${directory} is not a directory`,
	noDirectoryFix: "choose another directory with --data DIR",
	missing: ({ directory }: { readonly directory: string }) =>
		`${directory} does not exist: no gateway has started there`,
	missingFix: ({ directory }: { readonly directory: string }) =>
		`\`parley start --data ${directory}\` creates it; if the path is wrong, use --data DIR`,
	databaseIntact: "intact, with a supported version",
	databaseFix: "restore a backup with `parley restore`",
	databaseLost: ({ data, file }: { readonly data: string; readonly file: string }) =>
		`${data} contains ${file} but no database: the next start creates an empty one, without earlier sessions`,
	databaseLostFix:
		"restore a backup with `parley restore FILE --force`; ignore this if no gateway has started here",
	noDatabase: "none yet",
	freeSpace: ({ mebibytes, directory }: { readonly mebibytes: number; readonly directory: string }) =>
		`${mebibytes} MiB are free on the disk of ${directory}`,
	notWritable: ({ directory, reason }: { readonly directory: string; readonly reason: string }) =>
		`cannot write to ${directory}: ${reason}`,
	notWritableFix: "choose another directory with --data DIR",
	noFiles: ({ data }: { readonly data: string }) => `${data} does not exist yet`,
	privateFiles: ({ data }: { readonly data: string }) => `only this user can read ${data}`,
	otherOwner: ({ path, uid }: { readonly path: string; readonly uid: number }) =>
		`${path} belongs to another user (${uid})`,
	otherOwnerFix: ({ path }: { readonly path: string }) => `sudo chown -R "$(id -un)" ${path}`,
	openFile: ({ path, mode }: { readonly path: string; readonly mode: string }) =>
		`${path} is open to other users of this machine (mode ${mode})`,
	noAudit: "the audit log has no rows yet",
	auditIntact: ({ records }: { readonly records: number }) => `intact: ${records} rows`,
	auditDamaged: ({ seq, reason }: { readonly seq: number; readonly reason: string }) =>
		`row ${seq}: ${reason}`,
	auditDamagedFix: "compare the log with a backup; `parley audit --verify` shows how many rows are valid",
	noMessages: "no stored messages to check: no database with hashes exists yet",
	messagesAlteredFix:
		"compare the sessions with a backup; check the backup with `parley restore --verify FILE`",
	messagesIntact: ({ summary }: { readonly summary: string }) => `intact: ${summary}`,
	messagesPartlyChecked: ({ summary }: { readonly summary: string }) =>
		`intact, but not all checked: ${summary}`,
	messagesPartlyCheckedFix: "`parley audit --verify` checks all, without a time limit",
} as const;
