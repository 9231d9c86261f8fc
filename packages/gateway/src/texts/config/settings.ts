/**
 * Descriptions of the settings, for `docs/configuration.md` and the JSON Schema. If a setting has a default, the
 * description ends with it.
 */
export const settingTexts = {
	providerApi:
		"API of the server. Default: the API of the known provider with this name if the address is its own, else chat-completions.",
	providerBaseUrl:
		"Address of the API with its version, such as http://127.0.0.1:8000/v1. Default: the address of the known provider with this name.",
	providerKey:
		"Name of the environment variable with the key. Default: the variable of the known provider if the address is its own, else no key.",
	fallback:
		"Models that the gateway tries, in this order, if the first model fails: names or tiers, such as openai/gpt-6.2-sol. Default: none.",
	providers:
		`Further providers by name. Known names: openai, gemini, openrouter, mistral, groq, kimi, moonshot, bedrock, azure, vllm, lmstudio and ollama. The names of their models are provider/model. Use the entry anthropic to add Claude to another provider. The providers openai, gemini, openrouter, ` +
		"kimi and moonshot need no entry if their key is set and no other provider or server is named. Default: none.",
	modelsFile:
		"JSON file that adds models to the built-in table and corrects its rows. Relative to this file. Default: models.json in the data directory, if it exists.",
	budgetDay: ({ scope }: { readonly scope: string }) =>
		`US dollars for one UTC day${scope}. Default: no limit.`,
	budgetMonth: ({ scope }: { readonly scope: string }) =>
		`US dollars for one UTC month${scope}. Default: no limit.`,
	budgetSessionScope: " in one session",
	budgetSession: "Limits for each session.",
	tlsCert:
		"PEM file with the certificate, followed by the intermediate certificates. Needs tls.key. Relative to this file. Default: none.",
	tlsKey:
		"PEM file with the private key of tls.cert. Only its owner and its group may read it. Relative to this file. Default: none.",
	filesMaxBytes: "Maximum size of one file, in bytes. Default: 33554432 (32 MiB).",
	filesQuotaBytes:
		"Maximum size of all stored files together, in bytes. Each file counts as at least 4 KiB. Default: 1073741824 (1 GiB).",
	filesUploadDays:
		"Days until an upload that no message uses is deleted. Other files are deleted with their session. Default: 7.",
	tasksLimit: "Maximum number of tasks that run at the same time, including workers. Default: 4.",
	tasksMinutes:
		"Maximum working time of a task, in minutes. Time spent waiting for people or workers is not counted. Default: 120.",
	tasksModelCalls:
		"Maximum number of model calls in a task. At the limit, the task ends with the work done so far. Default: 200.",
	egressHosts:
		"Host names, such as packages.example.org. A name such as *.githubusercontent.com allows all subdomains. Default: none.",
	discordApiUrl: "Address of the REST API, without the version of the API.",
	discordCdnUrl: "Address from which attachments are downloaded.",
	discordAddress: ({ description }: { readonly description: string }) =>
		`${description} Default: the address of Discord.`,
	slackApiUrl: "Address of the Web API, including /api. Default: the address of Slack.",
	slackListen:
		"Address that receives requests from Slack, such as 127.0.0.1:7780. Required with SLACK_SIGNING_SECRET, and not used with SLACK_APP_TOKEN. Default: none.",
	llamaEndpoint: "Address of the server. Default: http://127.0.0.1:8080.",
	llamaModelDir:
		"Directory with models. The program starts in it and receives it as LLAMA_ARG_MODELS_DIR. Relative to this file. Default: none.",
	llamaCommand:
		"Program to start: a name in PATH, or a path relative to this file. Without it, the gateway starts no program and uses the server at the endpoint. Default: none.",
	llamaArgs:
		'Arguments of the program, for example ["-m", "model.gguf", "--jinja"]. Do not set host and port: they come from the endpoint. Default: none.',
	llamaAutostart:
		"Start the program with the gateway. If false, it starts at the first request. Default: true.",
	jsonSchema: "Path or address of this JSON Schema, with which editors check the file. Default: none.",
	listen:
		"Addresses to listen on: HOST:PORT, with IPv6 addresses in brackets. The host 0.0.0.0 means all addresses of the machine, and port 0 a free port. Default: 127.0.0.1:7777.",
	data: "Data directory, which stores sessions and tokens. A configuration file in the data directory cannot set it. Relative to this file. Default: ~/.local/share/parley on Linux, ~/Library/Application Support/parley on macOS.",
	root: "Directories that tools may read and write: the roots. Relative to this file. Default: the directory in which the gateway starts.",
	provider:
		`Provider of the model: auto, anthropic, offline, a known provider such as openai, or a name of models.providers. The provider anthropic needs a key (ANTHROPIC_API_KEY) or a base URL. The provider offline needs neither. The value auto means anthropic ` +
		"if there is a key or a base URL. Otherwise it means the first entry of models.providers, or the first known provider with a key. " +
		"Without any of them, it means offline. Default: auto.",
	model:
		"Model of the provider: a name or a tier (fast, standard, max). Default: standard, or the only model of the server at baseUrl.",
	baseUrl: `Address of another server with the API of the provider. With the provider anthropic, it is a server with the Messages API, such as http://127.0.0.1:11434. With another provider, the address includes the version of the API. If model is not set, the server must offer exactly one model. Default: the address of the provider.`,
	llama: `A local model server with the interface of llama-server. The gateway uses its models. If the server needs a key, set LLAMA_API_KEY in the environment.`,
	reasoning: "Amount of thinking of the model before it answers. Default: the default of the model.",
	maxModelCalls:
		"Maximum number of model calls in a turn. At the limit, the turn ends with the work done so far. Default: 50.",
	models: "Further providers, fallback models, and the table of models.",
	budgets:
		"Cost limits in US dollars. When a budget is spent, the gateway calls no model until the next day or month begins (UTC).",
	titles: "Let a model write a title for each untitled session, with one short model call. Default: true.",
	tasks: "Limits of tasks in the background.",
	files: "Limits of stored files: uploads of people and files of tools.",
	chat: "People and channels of chat platforms: access and channel settings.",
	discord: "Addresses of Discord. Set the token in the environment: DISCORD_TOKEN.",
	slack:
		"Addresses of Slack. Set the tokens in the environment: SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET.",
	auth: `Clients that need a token. With local, all clients except programs of the operator's own user on this machine. With token, all clients. With none, no client. Default: local.`,
	sandbox:
		`Isolation of commands. With required, commands run in the sandbox or not at all. With preferred, commands run in the sandbox; without one, they run with the operator's permissions, and each requires approval. With off, they always run with these permissions and approvals. With container, the ` +
		"container around the gateway is the boundary. Commands of chat users always need the sandbox or that container. Default: preferred.",
	egress: `Hosts that sandboxed commands can reach over https on port 443, through a proxy of the gateway. Without any host, a command that requests the network runs outside the sandbox, if the sandbox mode allows that.`,
	mcp: "Servers of the Model Context Protocol (MCP), whose tools agents can use. Each call requires approval by default.",
	search:
		"Search engine of the tool web_search. Without it, agents have no such tool. Each search requires approval by default.",
	commandUnixSockets: `Allow sandboxed commands to use Unix sockets. They can then also connect to a socket that another program creates in a root while they run. Default: false.`,
	logLevel: "Minimum level of log lines on standard error. Default: info.",
	systemPromptFile:
		"Markdown file that replaces the built-in system prompt. Relative to this file. Default: the built-in system prompt.",
	policyFile:
		"File with policy rules for tools, in JSON with comments. Relative to this file. Default: policy.jsonc in the data directory, if it exists.",
	allowedHosts:
		"Further host names that clients may use for the gateway. A name without a port means the port of the listener; another port is part of the name, as in 127.0.0.1:8000. Default: none.",
	tls: "Certificate of the gateway. With it, listeners beyond this machine accept https only.",
	trustedProxies:
		"IP addresses and networks of proxies in front of the gateway, such as 127.0.0.1 or 10.0.0.0/8. Only their X-Forwarded-For, X-Forwarded-Proto, X-Forwarded-Host and Forwarded headers are used. Default: none.",
	publicUrl:
		"Address of the gateway for people and browsers, without a path: https://HOST or https://HOST:PORT. Default: none.",
	insecureLan:
		"Allow other machines to connect without TLS and without a proxy. Messages and the token can then be read on the network. Default: false.",
} as const;

/** Descriptions of the settings of MCP servers. */
export const mcpSettingTexts = {
	command: "Program to start in the sandbox: a name in PATH, or a path relative to this file.",
	url: "Address of a remote server, such as https://mcp.example.com/mcp. A server has either a url or a command.",
	tokenFrom: "Variable of the gateway's environment with the bearer token for the url. Default: no token.",
	allowPrivate:
		"Allow a url with http, or with an address of this machine or of its networks. Default: false.",
	args: "Arguments of the program. Default: none.",
	env: "Value of a variable of the program. Do not write secrets here: use envFrom. Default: none.",
	envFrom:
		"Variables of the gateway's environment that the program also gets, for example a token. Default: none.",
	hosts:
		"Hosts that the program can reach over https on port 443, through a proxy of the gateway. A name such as *.example.com allows all subdomains. Default: none.",
	read: "Files and directories that the program can read, besides those that it can change. Relative to this file. Default: only programs of the system.",
	write:
		"Directories that the program can change. It starts in the first one. Relative to this file. Default: none.",
	timeout: "Seconds until a call fails. Default: 120.",
	servers:
		"Servers by name. The name is the first part of the names of their tools: the tool read_file of the server files is files__read_file. Default: none.",
	forms:
		"Let the MCP server of this gateway show usual approvals as forms in the client. Only for clients that always let a person answer a form. Default: false.",
} as const;

/** Descriptions of the settings in `search`. */
export const searchSettingTexts = {
	api: "Search engine: brave is Brave Search, which needs a key. searxng is your own SearXNG, whose settings must allow the format json.",
	url: ({ origin }: { readonly origin: string }) =>
		`Address of the search engine, which may be in your own network. Required for searxng, for example http://127.0.0.1:8888. Default: ${origin} for brave.`,
	key: "Name of the environment variable with the key of Brave Search. Default: BRAVE_API_KEY.",
} as const;
