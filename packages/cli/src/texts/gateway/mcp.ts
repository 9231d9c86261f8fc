/** Texts of the logins at MCP servers. */
export const mcpLoginTexts = {
	portInUse: ({ port }: { readonly port: number }) =>
		`Port ${port} of 127.0.0.1 cannot be used: choose another one with --port`,
	loginReceived: "Parley has received the login. Close this page.",
	otherLogin: "This is not the login of Parley.",
} as const;

/** Texts of `parley mcp serve` and `parley mcp doctor`. */
export const mcpServeTexts = {
	connectionLost:
		"the connection to the gateway was lost; a run that has started continues: read its session or call task_status before you send the request again",
	invalidMessage: "the message is not one JSON-RPC message within the limits",
	longMessage: "the message is longer than 1 MiB",
	notUtf8: "the message is not UTF-8",
	noDataDirectory: ({ data }: { readonly data: string }) =>
		`There is no data directory ${data}: start the gateway once`,
	noAnswer: "it does not answer yet",
	noServers: "No MCP servers.",
} as const;
