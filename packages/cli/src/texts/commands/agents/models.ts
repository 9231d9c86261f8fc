export const modelsHelp = {
	description: "list the available models with their limits and prices",
	check: "also try each provider, with the settings and keys of this shell",
	notes: `
--check requests the list of models of each provider, which costs no tokens, and
shows in which environment variable a key was found. Exit code 1 if a provider
has a problem.`,
} as const;

export const modelsMessages = {
	settingsMissing:
		"this shell does not have the settings of this provider: run the command with the environment variables of the gateway",
} as const;

export const agentsHelp = {
	description: "list the agent profiles; exit code 1 if a profile cannot be used",
	notes:
		"\nA profile is the directory agents/NAME of the data directory. It contains\nconfig.toml, agent.md or both.",
} as const;
