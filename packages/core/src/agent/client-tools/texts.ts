/** Result texts of client tool calls, for wires, models and people. */
export const clientCallTexts = {
	left: (note: string): string =>
		`${note}: the client that ran this call disconnected before it answered; check the effects before you repeat the call`,
	disconnected: (tool: string): string =>
		`interrupted: not run, because the client that offered ${tool} has disconnected; continue without it`,
	timedOut: (tool: string, ms: number): string =>
		`timed out: the client did not answer the call of ${tool} within ${ms} ms; it may still be running: check its effects before you repeat it`,
	leftOut: (characters: number, max: number): string =>
		`[… ${characters} characters left out: at most ${max} are accepted …]`,
	exitCode: (code: number): string => `exit code ${code}`,
	cut: "output cut by the client",
	took: (ms: number): string => `took ${ms} ms`,
} as const;

/** Texts about connections to clients that run tools. */
export const toolClientTexts = {
	operatorChooses: (session: string, channel: string): string =>
		`client tools: ${session} belongs to the channel ${channel}; only the operator can choose its tools, so use another session`,
	tooManyClients: (clients: number, session: string): string =>
		`client tools: ${clients} clients, the maximum, are already connected to ${session}: disconnect a client first`,
	answerIgnored: "ignored an answer without an open call",
	answersIgnored: "ignored answers of a client",
	clientDisconnected: "client tools: this client has disconnected: connect it again",
	onClient: "runs on the client",
	onHost: (host: string): string => `runs on the host ${host}`,
} as const;

/** Reasons why a client's tool registration is refused. */
export const registrationTexts = {
	longContext: (source: string, characters: number, max: number): string =>
		`system_context${source === "" ? "" : ` of ${source}`}: ${characters} characters are more than the maximum of ${max}: shorten the text`,
	tooManyOfClient: (tools: number, max: number): string =>
		`tools: the client would have ${tools} tools, more than the maximum of ${max}: offer fewer tools`,
	largeSchemas: (bytes: number, max: number): string =>
		`tools: all schemas of the client would have ${bytes} bytes in total, more than the maximum of ${max}: offer fewer tools, or shorten the schemas`,
	source: (source: string): string =>
		`source: ${source} is not a valid source name: use 1 to 64 letters, digits and "-"`,
	tooMany: (tools: number, max: number): string =>
		`tools: ${tools} tools are more than the maximum of ${max}: offer fewer tools`,
	toolName: (position: number, name: string): string =>
		`tools: the name of tool ${position}, ${name}, is not valid: use 1 to 128 letters, digits, "_" and "-"`,
	twice: (name: string): string => `tools: ${name} occurs twice: give each tool its own name`,
	longDescription: (tool: string, characters: number, max: number): string =>
		`tools: the description of ${tool} has ${characters} characters, more than the maximum of ${max}: shorten it`,
	timeout: (tool: string, ms: number, defaultMs: number): string =>
		`tools: the timeout of ${tool} is ${ms} ms: use a positive number of milliseconds, or 0 for the default of ${defaultMs} ms`,
	schema: (tool: string, problem: string): string => `tools: the schema of ${tool} ${problem}`,
	schemaType: (type: string): string => `has the type ${type}: use "object"`,
	refusedKeyword: (keyword: string): string =>
		`has ${keyword} at its top level, and some models refuse such schemas: use properties instead`,
	notSchema: (reason: string): string => `is not a valid JSON Schema: ${reason}; correct the schema`,
	property: (name: string): string =>
		`has the property ${name}: use 1 to 64 letters, digits, "_", "." and "-"`,
	largeSchema: (bytes: number, max: number): string =>
		`has ${bytes} bytes, more than the maximum of ${max}: shorten it`,
	unusable: (reason: string): string => `cannot be used: ${reason}; correct the schema`,
	notObject: "is not an object: use a JSON object",
} as const;
