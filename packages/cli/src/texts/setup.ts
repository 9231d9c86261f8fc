/** Texts of the wizard `parley setup`. */
export const setupTexts = {
	steps: {
		model: "Model",
		directory: "Directory and permissions",
		discord: "Discord",
		slack: "Slack",
		service: "Service",
	},
	welcome: "This sets up Parley. Ctrl-C leaves; the next `parley setup` continues at the same step.",
	resumes: ({ steps }: { readonly steps: string }): string =>
		`Complete: ${steps}. The setup continues with the next step.`,
	left: ({ step }: { readonly step: string }): string =>
		`Stopped at the step “${step}”. \`parley setup\` continues there.`,
	needsTerminal:
		"parley setup needs a terminal\nin a script: parley setup --yes, with flags and environment variables",
	unknownStep: ({ step }: { readonly step: string }): string =>
		`${JSON.stringify(step)} is not a step: use model, directory, discord, slack or service`,

	provider: "Which model should answer?",
	providers: {
		anthropic: "Claude (Anthropic)",
		openai: "GPT (OpenAI)",
		gemini: "Gemini (Google)",
		openrouter: "OpenRouter",
		mistral: "Mistral",
		groq: "Groq",
		ollama: "Ollama on this machine",
		offline: "offline: built in, without a key, for a first look",
	},
	found: ({ variable }: { readonly variable: string }): string => `${variable} is set in this shell`,
	known: "a key is stored",
	noKey: "needs no key",
	storeKey: ({ variable }: { readonly variable: string }): string =>
		`${variable} is set in this shell. Store the key in the data directory, so that the gateway also starts without this shell?`,
	store: "Yes, store it (only your user can read it)",
	leaveKey: "No, use the variable",
	key: ({ provider }: { readonly provider: string }): string => `API key of ${provider} (hidden)`,
	invalidKey: "the key is empty, or contains a space or a non-ASCII character: enter the complete key again",
	invalidKeyStdin:
		"standard input is not one key: pipe one key, without spaces, line breaks or non-ASCII characters",
	missingKey: ({ variable, provider }: { readonly variable: string; readonly provider: string }): string =>
		`${provider} needs a key: set ${variable}, or use --key-stdin`,
	emptyStdin: "standard input has no key: pipe it, for example with `--key-stdin < key.txt`",
	model: "Model: a name, or fast, standard, max",
	testing: ({ provider }: { readonly provider: string }): string =>
		`testing ${provider} with one short message …`,
	tested: ({ model, seconds }: { readonly model: string; readonly seconds: string }): string =>
		`${model} answered in ${seconds} s`,
	testFailed: ({ reason }: { readonly reason: string }): string => `The test failed: ${reason}`,
	/** Added to `testFailed` without a terminal. A terminal shows choices instead. */
	testFailedFix: "; correct the provider, the model or the key, or use --no-test",
	afterFailure: "How do you want to continue?",
	again: "Enter the provider and the key again",
	anyway: "Store it without a successful test",

	directory: "Directory of your project",
	notDirectory: ({ path }: { readonly path: string }): string =>
		`${path} is not a directory: enter the path of an existing directory`,
	later: "Empty to do this later: `parley` asks in each directory",
	permissions: "Where should commands of the agent run?",
	preferred: "In the sandbox, or with your approval outside",
	required: "Only in the sandbox",

	platform: ({ title }: { readonly title: string }): string => `Set up ${title} now?`,
	connect: "Yes, step by step",
	skip: "No",
	token: ({ variable }: { readonly variable: string }): string =>
		`${variable} (hidden; empty if you do not have one yet)`,
	tokenStored: ({ variable }: { readonly variable: string }): string => `stored ${variable}`,
	platformLater: ({ name }: { readonly name: string }): string => `Continue later with: parley ${name} setup`,
	service: "Start the gateway at boot, as a service?",
	installService: "Yes, install the service",
	noService: "No, start it with `parley`",
	stopsGateway: ({ pid }: { readonly pid: number }): string =>
		`stopping the gateway (process ${pid}), which the service replaces …`,
	gatewayStays: ({ pid }: { readonly pid: number }): string =>
		`the gateway (process ${pid}) did not stop; end it with \`kill ${pid}\`, and run \`parley service install\``,
	serviceLater: "Install it later with: parley service install",
	restartGateway:
		"The running gateway still has the earlier settings. Restart it: `parley stop`, then `parley`.",

	offer: "This is the first start. Set up a model, a project and chats now?",
	offerYes: "Yes, step by step",
	offerNo: "No, start with the built-in offline model (later: `parley setup`)",

	summary: "Result:",
	results: {
		provider: ({ provider, model, file }: Readonly<Record<"provider" | "model" | "file", string>>): string =>
			`${provider}, ${model} (${file})`,
		keyStored: ({ file }: { readonly file: string }): string => `key stored in ${file}, mode 600`,
		keyFromVariable: ({ variable }: { readonly variable: string }): string => `key from ${variable}`,
		skipped: "skipped",
		project: ({ directory }: { readonly directory: string }): string => `agents may work in ${directory}`,
		sandbox: ({ mode }: { readonly mode: string }): string => `sandbox: ${mode}`,
		service: ({ directory }: { readonly directory: string }): string =>
			`installed; works in ${directory}; logs: parley service logs`,
		otherService: ({ file }: { readonly file: string }): string => `already installed: ${file}`,
		noService: "not installed",
		silentService: "installed, but the gateway does not answer; the reason: parley service logs",
		connected: "connected",
		tokens: "tokens stored; not connected yet",
	},
	next: ({ command }: { readonly command: string }): string => `Next: ${command}`,
	nextElsewhere: "cd to the directory of a project, then `parley`",
	withMachine: "To start the gateway at boot: `parley service install`",
} as const;
