interface Names {
	/** Slash command, including its slash. */
	readonly slash: string;
	readonly bot: string;
}

/** Help texts for slash commands, in mrkdwn, and the prompt that the message shortcut sends to the agent. */
export const commandTexts = {
	threads: ({ bot }: Pick<Names, "bot">) =>
		`Slash commands do not work in Slack threads. In a thread, mention me and write the command, for example \`@${bot} !task list\`.`,
	help: ({
		slash,
		bot,
		commands,
	}: Names & { readonly commands: readonly { readonly name: string; readonly description: string }[] }) =>
		[
			`These are my commands. ${commandTexts.threads({ bot })}\n`,
			...commands.map(({ name, description }) => `• \`${slash} ${name}\` ${description}`),
		].join("\n"),
	unknown: ({ slash, help }: { readonly slash: string; readonly help: string }): string =>
		`I do not know this command. To send me a request, write \`${slash} ask\` and your request.\n\n${help}`,
	/** Prompt of the message shortcut, because a person cannot enter a text for it. */
	explainMessage: "Explain this message. If it contains a question, answer the question.",
} as const;
