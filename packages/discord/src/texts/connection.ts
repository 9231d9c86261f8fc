interface Portal {
	/** URL of the page with the settings of the application. */
	readonly portal: string;
}

/** States of the connection to Discord, for operators. `parley status` and the log show them. */
export const connectionTexts = {
	unknownToken: ({ portal }: Portal) =>
		`Discord does not accept the token: reset it under "Bot" on ${portal}, and set DISCORD_TOKEN to the new token`,
	invalidShard: "Discord refused the shard of the connection: report this as a bug in Parley",
	tooManyServers:
		"the bot is in too many servers: one connection to Discord serves fewer than 2,500; remove the bot from some servers",
	oldApi: "Discord no longer supports version 10 of its API: update Parley",
	invalidIntents: "Discord refused the intents of the connection: report this as a bug in Parley",
	missingIntent: ({ portal }: Portal) =>
		`the bot is not allowed to read messages: under "Bot" on ${portal}, switch on "Message Content Intent", save, and start the connector again`,
	ended: ({ code }: { readonly code: number }) =>
		`the connection to Discord ended with code ${code}: reconnecting`,
	noIds: "Discord connected the bot without the bot's ids: restart the connector",
	unreachable: ({ reason }: { readonly reason: string }) => `cannot reach Discord: ${reason}; retrying`,
} as const;
