/** Progress and errors of a backup. */
export const createBackupTexts = {
	fileExists: ({ file }: { readonly file: string }) =>
		`${file} exists; choose another name, or replace it with --force`,
	copying: "copying the database",
	packing: ({ files }: { readonly files: number }) => `packing ${files} files`,
	interruptedRestore: ({ dataDirectory }: { readonly dataDirectory: string }) =>
		`a restore into ${dataDirectory} was interrupted; start the gateway once to finish it`,
	noSessions: ({ dataDirectory }: { readonly dataDirectory: string }) =>
		`there is no database in ${dataDirectory}; name another data directory with --data`,
	insideData: ({ file, dataDirectory }: { readonly file: string; readonly dataDirectory: string }) =>
		`${file} is inside the data directory ${dataDirectory}, which the backup saves; choose a path outside this directory`,
	noPlace: "does not exist; create it, or choose another path for the backup",
	placeIsFile: "is not a directory; choose another path for the backup",
	placeNotWritable: "cannot be written by this user; choose another path for the backup",
	placeFull: "has no space left; choose another path for the backup",
	placeFails: ({ code }: { readonly code: string }) =>
		`cannot be written (${code}); choose another path for the backup`,
	invalidFileId: ({ id }: { readonly id: string }) =>
		`cannot back up the database: it contains the invalid file id ${id}; restore an earlier backup`,
} as const;

/** Progress and errors of a restore. Most errors follow the name of the file. */
export const readBackupTexts = {
	invalidPath: "is not an allowed path inside a data directory",
	newerVersion: ({ version }: { readonly version: string }) =>
		`the backup was made by a newer Parley (${version}): upgrade the program to restore it`,
	invalidList: ({ fault }: { readonly fault: string }) => `the list of its files is not valid (${fault})`,
	listNotJson: "the list of its files is not JSON",
	listedTwice: ({ path }: { readonly path: string }) => `it lists ${path} twice`,
	sameName: ({ file }: { readonly file: string }) =>
		`cannot restore ${file}: on this file system, another file of the backup has the same name. ` +
		"Restore into a directory on a file system that distinguishes these names.",
	unreadable: "the rest of it cannot be read",
	compressedTwice: "it is compressed twice",
	moreThanListed: "it has more content than it lists",
	noList: "it does not begin with a valid list of its files",
	missing: ({ file }: { readonly file: string }) => `the listed file ${file} is missing`,
	tooCompressed: ({ maxRatio }: { readonly maxRatio: number }) =>
		`it unpacks to more than ${maxRatio} times its size, so it could fill the disk; ` +
		"if you trust the file, allow more with --max-ratio N",
	tooLarge: ({ bytes, maxBytes }: { readonly bytes: number; readonly maxBytes: number }) =>
		`it unpacks to ${bytes} bytes, and the limit is ${maxBytes}; if you trust the file, allow more with --max-size SIZE`,
	differs: ({ path }: { readonly path: string }) => `${path} differs from the saved content`,
	contentAfterEnd: "it has content after its end",
	unlisted: ({ path, type }: { readonly path: string; readonly type: string }) =>
		`its entry ${path} (${type}) is not one of the listed files, or occurs twice`,
	noFile: ({ file }: { readonly file: string }) => `the backup ${file} does not exist: correct the path`,
	isDirectory: ({ file }: { readonly file: string }) =>
		`${file} is a directory: name a file that \`parley backup\` wrote`,
	notReadable: ({ file }: { readonly file: string }) =>
		`${file} cannot be read by this user: correct its permissions`,
	unusable: ({ file, reason }: { readonly file: string; readonly reason: string }) =>
		`${file} cannot be used: ${reason}`,
	otherBackup: ({ reason }: { readonly reason: string }) => `${reason}; use another backup`,
	damaged: ({ file, reason }: { readonly file: string; readonly reason: string }) =>
		`${file} is not a backup, or is damaged or incomplete (${reason}); use another backup`,
	checking: "checking the database",
	notEmpty: ({ directory, found }: { readonly directory: string; readonly found: string }) =>
		`${directory} is not empty (${found}); use --force to move its content aside, or choose another directory with --data DIR`,
	unpacking: ({ files }: { readonly files: number }) => `unpacking ${files} files`,
	unknownDatabase: ({ version, migration }: { readonly version: string; readonly migration: string }) =>
		`the backup was made by Parley ${version} and contains the unknown migration ${migration}: ` +
		"upgrade the program to restore it",
	noDatabase: "it contains no database",
	diskFull: ({ directory, missing }: { readonly directory: string; readonly missing: number }) =>
		`not enough space on the disk of ${directory}: free at least ${missing} MiB`,
} as const;
