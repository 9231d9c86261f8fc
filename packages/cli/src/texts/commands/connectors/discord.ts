export const discordHelp = {
	tokens: `Set the token of the bot in the environment: DISCORD_TOKEN. If it is set,
\`parley start\` starts this connector. \`parley discord setup\` sets up the bot
step by step; \`parley discord doctor\` checks it.`,
	parts: "its rights and its commands",
	fix: "restore commands that were deleted or overwritten on Discord",
} as const;

export const discordMessages = {
	tokenMissing:
		"DISCORD_TOKEN is not set\nset it to the token of the bot; `parley discord setup` explains how to get one",
} as const;
