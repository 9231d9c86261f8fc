export const discordHelp = {
	tokens: `Set the environment variable DISCORD_TOKEN to the token of the bot. If the
variable is set, \`parley start\` starts this connector. \`parley discord setup\`
sets up the bot step by step; \`parley discord doctor\` checks the bot.`,
	parts: "its rights and its commands",
	fix: "restore commands that were deleted or overwritten on Discord",
} as const;

export const discordMessages = {
	tokenMissing:
		"DISCORD_TOKEN is not set\nset it to the token of the bot; `parley discord setup` explains how to get the token",
} as const;
