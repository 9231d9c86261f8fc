/** Reasons for a failed file operation. */
export const fileErrorTexts = {
	permissionDenied: "permission denied",
	notPermitted: "the system does not permit it",
	readOnly: "the file system is read-only",
	missing: "it does not exist",
	notDirectory: "a part of the path is a file, not a directory",
	isDirectory: "it is a directory",
	loop: "symbolic links form a loop, or a file was just replaced by a link",
	longName: "a name in the path is too long",
	notRegular: "it is not a regular file",
	noSpace: "no space is left on the device",
	quota: "the disk quota is used up",
	device: "the device or the system could not read or write it",
	tooLarge: "the file would be too large",
	other: (code: string): string => `the system reports ${code}`,
} as const;

export const globTexts = {
	unusable: (pattern: string, reason: string): string =>
		`the pattern ${JSON.stringify(pattern)} cannot be used: ${reason}`,
	exclusion: "a pattern cannot exclude files, so write a pattern for the files to include",
	relative: "patterns are relative to the searched directory, so leave out the first /",
	outside: ".. leads out of the searched directory: name another path",
	range: "its [ ] contains an invalid range of characters",
	braces: "it has a { without a }, or a } without a {",
} as const;

export const pathFaultTexts = {
	gone: "it does not exist, or is not accessible",
	leadsTo: (path: string): string => `it leads to ${JSON.stringify(path)} now`,
	cannotUse: (role: string, path: string, reason: string): string =>
		`Cannot use the ${role} ${JSON.stringify(path)}: ${reason}. No command ran, and no file changed. Restore the directory, or open a session for another directory.`,
	unclear: (path: string, reason: string): string => `the path ${JSON.stringify(path)} ${reason}`,
	empty: "is empty",
	nul: "contains a null character: remove it",
	notText: "is not well-formed text",
	backslash: "contains a backslash: separate directories with /",
	home: "begins with ~, which is not expanded: write the complete path",
	tooLong: (max: number): string => `is longer than ${max} bytes: use a shorter path`,
	ofGateway: (path: string): string =>
		`tools may not access ${JSON.stringify(path)}: it belongs to the gateway`,
	unreachable: (path: string): string => `cannot reach ${JSON.stringify(path)}`,
	tooManyLinks: (path: string): string =>
		`cannot reach ${JSON.stringify(path)}: too many symbolic links; use another path`,
	inData: "is in the data directory",
	outsideRoots: (roots: readonly string[]): string => `is outside the roots ${roots.join(", ")}`,
	notPath: "contains a null character: remove it",
	doesNotExist: "does not exist: use an existing directory",
	inaccessible: (reason: string): string => `cannot be used: ${reason}`,
	isNotDirectory: "is not a directory: use a directory",
	cannotRead: (path: string): string => `cannot read ${JSON.stringify(path)}`,
	ownFilesUnchecked: "cannot check the gateway's own files",
	directory: (path: string): string => `${JSON.stringify(path)} is a directory: use the path of a file`,
	notRegular: (path: string): string =>
		`${JSON.stringify(path)} is not a regular file: use the path of a regular file`,
	becameLink: (name: string): string =>
		`the directory ${JSON.stringify(name)} became a link to another place`,
	noSafeAccess: "cannot use files safely: this system cannot open a file relative to an open directory",
} as const;
