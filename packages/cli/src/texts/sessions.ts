/** Texts of the commands for single sessions. */
export const sessionTexts = {
	connectionLost: "the connection was lost, so the session might not be summarised; run the command again",
	closed:
		"the session was closed before it was summarised; `parley sessions` shows whether the session still exists",
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
	fileExists: ({ path }: { readonly path: string }) => `${path} already exists; use --force to replace it`,
	notWritable: ({ path, reason }: { readonly path: string; readonly reason: string }) =>
		`cannot write ${path}: ${reason}; choose another file with --output`,
	noSession: ({ id }: { readonly id: string }) =>
		`no session has an id that begins with ${id}; \`parley sessions\` lists the sessions`,
	invalidPosition: ({ position }: { readonly position: string }) =>
		`invalid position ${JSON.stringify(position)}: use the number of a message, for example 3, or -1 to leave out the last message`,
	noTitle: "(no title)",
	severalSessions: ({ id }: { readonly id: string }) =>
		`several sessions have an id that begins with ${id}; use one of these ids:`,
	continueElsewhere:
		"--continue needs a gateway on this machine; use --session with an id from `parley sessions`",
	noSessionOfDirectory: ({ directory }: { readonly directory: string }) =>
		`found no session to continue in ${directory}; start a session without --continue, or use --session with an id from \`parley sessions\``,
	unknownModel: ({ name }: { readonly name: string }) =>
		`unknown model ${name}; \`parley models\` lists the models`,
} as const;
