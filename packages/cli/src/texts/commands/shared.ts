/** Help of options and arguments that several commands share. */
export const sharedHelp = {
	json: "print JSON",
	session: "only this session",
	abbreviatedSession: "only this session; the id may be abbreviated",
	maxRows: "maximum number of rows",
	data: "the data directory (PARLEY_DATA)",
	gatewayData: "the data directory of the gateway (PARLEY_DATA)",
	config: "configuration file (default: parley.config.json in the data directory)",
	logLevel: "debug, info (default), warn, error or silent",
	replaceFile: "replace an existing file",
	yes: "do not ask for confirmation",
	role: "role of the person",
	person: "PLATFORM:TENANT:USER",
	tools: "only these tools, separated by commas",
	workingDirectory: "working directory",
} as const;
