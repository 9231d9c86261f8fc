export const rpcHelp = {
	description: "let another program use the agent over stdin and stdout, in JSON lines (zot)",
	provider:
		"model provider: anthropic, offline, openai, kimi or another provider (default: the configured provider, else anthropic)",
	model: "model of the provider: a name, or fast, standard, max",
	workingDirectory: "working directory of the agent (default: the current directory)",
	apiKey:
		"API key of the provider; prefer an environment variable such as ANTHROPIC_API_KEY, which other users of this machine cannot see",
	baseUrl: "URL of another server for the Messages API, or for the API of the named provider",
	systemPrompt: "system prompt that replaces the built-in one",
	appendSystemPrompt: "text to append to the system prompt; may be repeated",
	reasoning: "reasoning level of models: off, minimal, low, medium, high, xhigh or max",
	maxSteps: "maximum model calls for one prompt (default: no limit)",
	tools: "allow only these tools: read,write,edit,bash",
	noTools: "allow no tools",
	session: "directory in which the session is saved and resumed (default: not saved)",
	approvals: "ask the client to approve calls that require approval",
	data: "data directory: configuration, models.json, policy.jsonc",
	sandbox: "sandbox for commands: required, preferred (default), off or container",
	policy: "policy file (default: policy.jsonc in the data directory)",
	logLevel: "debug, info, warn (default), error or silent",
	version: "print the version of the program",
} as const;

export const rpcMessages = {
	sessionAndNoSession: ({ directory }: { readonly directory: string }) =>
		`--session ${directory} saves the session, and --no-session does not: use only one of them`,
} as const;
