/** Warnings and errors about users who can change the configuration file, or a file that the configuration names. */
export const foreignWriterTexts = {
	changedByAll: ({ path }: { readonly path: string }) =>
		`${path} can be changed by every user of this machine`,
	replacedByAll: ({ path, directory }: { readonly path: string; readonly directory: string }) =>
		`${path} can be replaced by every user who can write ${directory}`,
	warning: ({ path, fault, fix }: { readonly path: string; readonly fault: string; readonly fix: string }) =>
		`the file ${path} ${fault}; if that is not intended, run: ${fix}`,
	otherOwner: ({ user }: { readonly user: number }) =>
		`belongs to another user (id ${user}), who can change it`,
	group: ({ group }: { readonly group: number }) =>
		`can be changed by all members of its group (id ${group})`,
	otherDirectoryOwner: ({ user, directory }: { readonly user: number; readonly directory: string }) =>
		`can be replaced by another user (id ${user}), who owns ${directory}`,
	directoryGroup: ({ group, directory }: { readonly group: number; readonly directory: string }) =>
		`can be replaced by the group with id ${group}, which can write ${directory}`,
	refusal: ({
		fault,
		mode,
		path,
	}: {
		readonly fault: string;
		readonly mode: string;
		readonly path: string;
	}) => `the file ${fault} (mode ${mode}); run: chmod o-w ${path}`,
} as const;
