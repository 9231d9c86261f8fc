interface Portal {
	/** URL of the page with the settings of the application. */
	readonly portal: string;
}

/** Title and instruction of each step in `parley discord setup`. */
export const setupTexts = {
	token: {
		title: "Create the bot",
		todo: ({ portal }: Portal) =>
			`On ${portal}, press "New Application". Under "Bot", press "Reset Token", and set DISCORD_TOKEN to the new token.`,
	},
	application: {
		title: "Allow it to read messages",
		todo: () =>
			'Under "Bot", switch on "Message Content Intent", and switch off "Requires OAuth2 Code Grant". Then save.',
	},
	gateway: {
		title: "Connect to Discord",
		todo: () =>
			"This machine connects to discord.com and gateway.discord.gg. You do not need to open an incoming port.",
	},
	invited: {
		title: "Invite the bot",
		todo: () => "Open the link below, choose a server that you manage, and confirm.",
	},
	permissions: {
		title: "Check its permissions",
		todo: () =>
			"The invite link gives the bot its permissions. The settings of a channel can remove some of them.",
	},
	commands: {
		title: "Register its commands",
		todo: () => "The connector registers the commands when it starts.",
	},
	answer: {
		todo: "In Discord, mention the bot in a channel, or send it a direct message. It answers you.",
	},
} as const;
