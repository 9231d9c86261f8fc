/** Errors and warnings about the data directory and its files. */
export const dataDirectoryTexts = {
	tokenDisappeared: "the operator's token was removed while it was read: try again",
	readOnlyPolicy: ({ path }: { readonly path: string }) =>
		`the rule was not added, because ${path} is read-only: make it writable, or add the rule yourself`,
	danglingPolicy: ({ path, target }: { readonly path: string; readonly target: string }) =>
		`the rule was not added, because ${path} is a link to ${target}, which does not exist: create that file, or remove the link`,
	noToken: ({ path }: { readonly path: string }) =>
		`${path} does not contain a token of the operator: remove this file, and the next start creates a token`,
	databaseEmpty: ({ file, directory }: { readonly file: string; readonly directory: string }) =>
		`the database ${file} is damaged: it is empty, but ${directory} has been used before. Restore a backup in its place, ` +
		"or remove it and its -wal file to start without the old sessions",
	databaseMissing: ({ directory, files }: { readonly directory: string; readonly files: string }) =>
		`${directory} contains keys or tokens (${files}) but no database. Parley creates an empty database without sessions. ` +
		"If a database was lost, stop Parley and run: parley restore FILE --force",
	chooseOther: ({ flag }: { readonly flag: string }) => `choose another data directory with ${flag} DIR`,
	noDirectory: ({ path, choose }: { readonly path: string; readonly choose: string }) =>
		`${path} is not a directory; ${choose}`,
	notCreatedByUser: ({ path, choose }: { readonly path: string; readonly choose: string }) =>
		`${path} cannot be created by this user; ${choose}`,
	notCreated: ({
		path,
		reason = "unknown reason",
		choose,
	}: {
		readonly path: string;
		readonly reason: string | undefined;
		readonly choose: string;
	}) => `${path} cannot be created (${reason}); ${choose}`,
	stopGateway: "stop it with `parley stop`",
	otherAgent: "process of the agent",
	endAgent: "end that process, or wait until it has ended",
	lockLost: ({
		file,
		program,
		lock,
		flag,
	}: {
		readonly file: string;
		readonly program: string;
		readonly lock: string;
		readonly flag: string;
	}) =>
		`${file} is in use by another process, perhaps a ${program} that lost ${lock}; ` +
		`stop that process (\`fuser ${file}\` prints its id), or choose another directory with ${flag} DIR`,
	diskFull: ({ file }: { readonly file: string }) =>
		`${file} cannot be written: the disk is full; free some space and start again`,
	notWritable: ({
		file,
		reason,
		flag,
	}: {
		readonly file: string;
		readonly reason: string;
		readonly flag: string;
	}) =>
		`${file} cannot be written (${reason}); make the data directory writable for this user, ` +
		`or choose another directory with ${flag} DIR`,
	inUse: ({
		directory,
		program,
		owner,
		stop,
		flag,
	}: {
		readonly directory: string;
		readonly program: string;
		readonly owner: string;
		readonly stop: string;
		readonly flag: string;
	}) =>
		`${directory} is in use by another ${program}${owner}; ${stop}, or choose another directory with ${flag} DIR`,
	locked: ({ path }: { readonly path: string }) => `${path} is locked by another process: try again later`,
	openFile: ({ path, mode }: { readonly path: string; readonly mode: string }) =>
		`${path} is open to other users of this machine (mode ${mode})`,
	/** Text between an error and the command that corrects the error. */
	beforeCommand: "; run: ",
	keyLength: ({
		path,
		bytes,
		expected,
	}: {
		readonly path: string;
		readonly bytes: number;
		readonly expected: number;
	}) =>
		`the key in ${path} has ${bytes} bytes instead of ${expected}: restore the file from a backup. ` +
		"Without a backup, remove the file: the next start creates a key, and people must type stored passwords again",
	keyMissing: ({ path, passwords }: { readonly path: string; readonly passwords: number }) =>
		`the key ${path} is missing: Parley creates a new key, which cannot decrypt the stored passwords (${passwords}). ` +
		"Stop Parley and restore the key from a backup, or enter the passwords again when a tool asks for them",
} as const;
