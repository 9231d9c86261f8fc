/** Texts of the commands for one session. */
export const sessionTexts = {
	connectionLost: "lost the connection: the session may not be shortened; run the command again",
	closed: "the session was closed",
	noneDeleted: "No session was deleted.",
	confirmDelete: ({ count }: { readonly count: number }) =>
		`Delete ${count === 1 ? "this session" : `these ${count} sessions`} permanently, with all data? [y/N]`,
	deleted: ({ id, title }: { readonly id: string; readonly title: string }) => `deleted ${id}  ${title}`,
	id: ({ id }: { readonly id: string }) => `Id: ${id}`,
	created: ({ time }: { readonly time: string }) => `Created: ${time}`,
	lastMessage: ({ time }: { readonly time: string }) => `Last message: ${time}`,
	directory: ({ path }: { readonly path: string }) => `Directory: ${path}`,
	agent: ({ name }: { readonly name: string }) => `Agent: ${name}`,
	usage: ({ usage }: { readonly usage: string }) => `Usage: ${usage}`,
	key: ({ key }: { readonly key: string }) => `Key: ${key}`,
	fileExists: ({ path }: { readonly path: string }) => `${path} already exists; --force replaces it`,
	notWritable: ({ path, reason }: { readonly path: string; readonly reason: string }) =>
		`cannot write ${path}: ${reason}`,
} as const;
