export const helpHelp = {
	description: "explain a command, or the commands of the offline model",
	topic: "a command with its optional subcommand, or offline",
} as const;

export const helpMessages = {
	noTopic: ({ topic, allowed }: { readonly topic: string; readonly allowed: string }) =>
		`no help topic '${topic}'\nallowed: ${allowed}`,
} as const;
