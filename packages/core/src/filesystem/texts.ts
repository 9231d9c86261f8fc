/** Reasons for a failed file operation. */
export const fileErrorTexts = {
	permissionDenied: "permission denied; check the permissions of the path",
	notPermitted: "the system does not permit it; check the owner and the permissions of the path",
	readOnly: "the file system is read-only; use a path on a writable file system",
	missing: "it does not exist; check the path",
	notDirectory: "a part of the path is a file, not a directory; check the path",
	isDirectory: "it is a directory; use the path of a file",
	loop: "symbolic links form a loop, or a file was just replaced by a link; use a path without links",
	longName: "a name in the path is too long; use a shorter name",
	notRegular: "it is not a regular file; use the path of a regular file",
	noSpace: "no space is left on the device; free disk space, and try again",
	quota: "the disk quota is used up; delete files, and try again",
	device: "the device or the system could not read or write it; check the disk, and try again",
	tooLarge: "the file would be too large; write less",
	other: (code: string): string => `the system reports ${code}; try again later`,
} as const;

export const globTexts = {
	unusable: (pattern: string, reason: string): string =>
		`the pattern ${JSON.stringify(pattern)} cannot be used: ${reason}`,
	exclusion: "it excludes files, so write a pattern for the files to include",
	relative: "it is not relative to the searched directory: leave out the first /",
	outside: ".. leads out of the searched directory: name another path",
	range: "its [ ] contains an invalid range of characters: write for example [a-z]",
	braces: "it has a { without a }, or a } without a {: write both",
} as const;

export const pathFaultTexts = {
	gone: "it does not exist, or is not accessible",
	leadsTo: (path: string): string => `it leads to ${JSON.stringify(path)} now`,
	cannotUse: (role: string, path: string, reason: string): string =>
		`cannot use the ${role} ${JSON.stringify(path)}: ${reason}. No command ran, and no file changed. Restore the directory, or open a session for another directory.`,
	unclear: (path: string, reason: string): string => `the path ${JSON.stringify(path)} ${reason}`,
	empty: "is empty: write the path of a file or directory",
	nul: "contains a null character: remove it",
	notText: "is not well-formed text: use valid Unicode",
	backslash: "contains a backslash: separate directories with /",
	home: "begins with ~, which is not expanded: write the complete path",
	tooLong: (max: number): string => `is longer than ${max} bytes: use a shorter path`,
	ofGateway: (path: string): string =>
		`tools may not access ${JSON.stringify(path)}: it belongs to the gateway; use another path`,
	unreachable: (path: string): string => `cannot reach ${JSON.stringify(path)}`,
	tooManyLinks: (path: string): string =>
		`cannot reach ${JSON.stringify(path)}: too many symbolic links; use another path`,
	inData: "is in the data directory: use a directory outside it",
	outsideRoots: (roots: readonly string[]): string =>
		`is outside the roots ${roots.join(", ")}: use a directory in one of them`,
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
		`the directory ${JSON.stringify(name)} became a link to another place: use another path`,
	noSafeAccess:
		"cannot use files safely: this system cannot open a file relative to an open directory; on Linux, the operator must mount /proc",
} as const;
