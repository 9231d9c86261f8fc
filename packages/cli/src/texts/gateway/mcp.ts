/** Texts about logins to MCP servers. */
export const mcpLoginTexts = {
	portInUse: ({ port }: { readonly port: number }) =>
		`port ${port} of 127.0.0.1 cannot be used: choose another port with --port`,
	loginReceived: "Parley has received the login. Close this page.",
	otherLogin:
		"This answer belongs to another login. Open the address that `parley mcp login` shows, and log in there.",
	noLoginNeeded: ({ server, isInFile }: { readonly server: string; readonly isInFile: boolean }) =>
		`cannot log in, because the server "${server}" gets its token from ${isInFile ? "a header in .mcp.json: remove the header" : "the setting tokenFrom: remove the setting"} to use a login`,
	loggedIn: ({ server }: { readonly server: string }) =>
		`logged in to ${server}; try it with: parley mcp doctor`,
	noLogin: ({ server }: { readonly server: string }) =>
		`cannot log out of the server "${server}": no login is stored; \`parley mcp\` lists the logins`,
	loggedOut: ({ server, note }: { readonly server: string; readonly note: string }) =>
		`logged out of ${server}${note}`,
	noRemoteServer: ({ server, known }: { readonly server: string; readonly known: string }) =>
		`unknown remote server "${server}"; remote servers: ${known}. For a server of a directory, run \`parley mcp trust DIR\` first`,
	secretWithoutClient: "--client-secret-from requires --client-id: add --client-id",
	noSecretVariable: ({ variable }: { readonly variable: string }) =>
		`the environment variable ${variable} is not set: set it to the secret of the client, and run the command again`,
	openAddress: ({ host, resource }: { readonly host: string; readonly resource: string }) =>
		`Open this address in a browser, and log in at ${host} for ${resource}:`,
	returnsHere: "The browser then returns to this machine. If it runs on another machine, it shows an",
	copyAddress: "error at the end: copy the complete address of that page, and paste it here.",
	notFinished: "the login was not finished within 10 minutes: run the command again",
	otherAddress: "This is not the final address of this login: copy the complete address of the last page.",
	tokenStaysValid: "; its token is valid until it expires",
} as const;

/** Texts of `parley mcp serve` and `parley mcp doctor`. */
export const mcpServeTexts = {
	connectionLost:
		"the connection to the gateway was lost; a run that has started continues: read its session or call task_status before you send the request again",
	invalidMessage:
		"the line is not one JSON-RPC message, or has too many values or levels: send each message as one JSON object in one line",
	longMessage: "the message is longer than 1 MiB: send a shorter message",
	notUtf8: "the message is not valid UTF-8: send it in UTF-8",
	noDataDirectory: ({ data }: { readonly data: string }) =>
		`the data directory ${data} does not exist or is not accessible: correct --data, or start a gateway there with \`parley start --data ${data}\``,
	noAnswer: "the server does not answer yet: run the command again",
	noServers: "No MCP servers.",
} as const;

/** Texts of `parley mcp` about the list of servers, and about changes to servers and their trust. */
export const mcpSetupTexts = {
	columns: ["NAME", "TRUST", "LOGIN", "SOURCE", "COMMAND"],
	noServers: "No MCP servers. Add one with: parley mcp add NAME COMMAND",
	invalidName: ({ name }: { readonly name: string }) =>
		`invalid name "${name}": use 1 to 32 lower-case letters, digits and hyphens, with a letter or digit at both ends`,
	added: ({ name }: { readonly name: string }) => `added ${name}; try it with: parley mcp doctor`,
	noAddedServer: ({ name, known }: { readonly name: string; readonly known: string }) =>
		`no server "${name}" was added with \`parley mcp add\`; added servers: ${known}`,
	removed: ({ name }: { readonly name: string }) => `removed ${name}`,
	// `note` is the addition to the message about a removed login.
	removedWithLogin: ({ name, note }: { readonly name: string; readonly note: string }) =>
		`removed ${name}, and logged out of it${note}`,
	noFile: ({ file, directory }: { readonly file: string; readonly directory: string }) =>
		`${directory} contains no readable ${file}, or the file is a link: use a directory that contains the file itself`,
	noServerInFile: ({ file, server, known }: Readonly<Record<"file" | "server" | "known", string>>) =>
		`${file} has no server "${server}"; usable servers: ${known}`,
	noUsableServer: ({
		file,
		directory,
		isEmpty,
	}: {
		readonly file: string;
		readonly directory: string;
		readonly isEmpty: boolean;
	}) =>
		`cannot trust the servers of ${directory}, because ${file} ${isEmpty ? "contains no servers: add a server" : "has no usable server:"}`,
	notUsed: ({ reason }: { readonly reason: string }) => `not used: ${reason}`,
	noneTrusted: "No server was trusted.",
	trusted: ({ servers }: { readonly servers: string }) => `trusted ${servers}`,
	noneTrustedOf: ({ directory }: { readonly directory: string }) => `${directory} has no trusted servers.`,
	noLongerTrusted: ({ servers }: { readonly servers: string }) => `no longer trusted: ${servers}`,
	scriptWarning:
		"Warning: scripts that these programs run also get these rights. A later change of a script does not end the trust.",
	getVariable: ({ name }: { readonly name: string }) =>
		`all programs get the environment variable ${name} of the gateway`,
	canRead: ({ path }: { readonly path: string }) => `all programs can read ${path}`,
	canReach: ({ host }: { readonly host: string }) => `all programs can reach ${host} over https`,
	canChange: ({ path }: { readonly path: string }) => `all programs can change ${path}`,
	onlyOrigin: ({ origin }: { readonly origin: string }) =>
		`remote server: Parley sends its requests only to ${origin}`,
	privateAddress: "the address may be on this machine or its networks, and may be without TLS",
	header: ({ name, value }: { readonly name: string; readonly value: string }) => `header ${name}: ${value}`,
	getsVariable: ({ name }: { readonly name: string }) =>
		`gets the environment variable ${name} of the gateway in its headers`,
	unusedFields: ({ fields }: { readonly fields: string }) => `these fields have no effect: ${fields}`,
	serverNeed: ({ server, need }: { readonly server: string; readonly need: string }) => `${server}: ${need}`,
	noAgent: ({ agent, directory }: { readonly agent: string; readonly directory: string }) =>
		`unknown agent "${agent}" in ${directory}: \`parley agents\` lists the agents`,
	hiddenServer: ({ server }: { readonly server: string }) =>
		`${server}: a server for all agents has the same name; rename one of the two`,
	noRemoteEntry:
		"--allow-private is for remote servers, and none of these servers is remote: leave out the option",
	noProgramEntry:
		"--read, --write and --host are for programs, and none of these servers is a program: leave out these options",
	noSuchHeader: ({ name }: { readonly name: string }) =>
		`no header of these servers uses the environment variable ${name}: leave out --env-from ${name}, or add a header that uses it`,
	invalidVariable: ({ text }: { readonly text: string }) =>
		`invalid environment variable "${text}": use NAME=VALUE`,
	confirmTrust: ({ directory }: { readonly directory: string }) =>
		`Trust these servers of ${directory} as they are now? [y/N]`,
} as const;
