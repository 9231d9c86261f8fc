export const setupHelp = {
	notes: `
Steps: model and key, directory and permissions, Discord, Slack, service. Ctrl-C
exits at any question; the next \`parley setup\` continues there.

In scripts, --yes asks nothing: it uses flags and environment variables, and
leaves out steps without values. Keys come from the environment variable of the
provider (such as ANTHROPIC_API_KEY) or from standard input, never from the
command line.

Examples:
  parley setup
  parley setup --only model
  parley setup --yes --provider anthropic --project ~/projects/shop
  parley setup --yes --provider openai --key-stdin < key.txt
`,
	description: "set up the model, a project and chats step by step",
	yes: "ask nothing; use flags and variables",
	only: "only this step: model, directory, discord, slack or service; may be repeated",
	restart: "start with the first step, even if an earlier setup is incomplete",
	provider: "model provider, such as anthropic, openai, ollama or offline",
	model: "model: a name, or fast, standard, max",
	baseUrl: "address of another server with the Messages API",
	keyStdin: "read the key of the provider from standard input",
	noTest: "store the model without a test call",
	project: "directory in which agents may work",
	sandbox: "isolation of commands: preferred or required",
	discord: "set up Discord, with DISCORD_TOKEN",
	service: "install the gateway as a service that starts at boot",
	slack: "set up Slack, with SLACK_BOT_TOKEN and SLACK_APP_TOKEN",
} as const;
