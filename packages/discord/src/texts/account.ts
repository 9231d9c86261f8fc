interface Portal {
	/** URL of the page with the settings of the application. */
	readonly portal: string;
}

interface Connections {
	/** New connections that Discord allows until the limit resets. */
	readonly remaining: number;
}

/** Findings of `parley discord doctor` about the bot and its connection. Each fix is an instruction. */
export const accountTexts = {
	token: ({ name }: { readonly name: string }) => `the token belongs to ${name}`,
	unknownToken: "Discord does not accept the token",
	unknownTokenFix: ({ portal }: Portal) =>
		`press "Reset Token" under "Bot" on ${portal}, and set DISCORD_TOKEN to the new token`,
	refusedFix: ({ portal }: Portal) =>
		`check that the application and its bot still exist on ${portal}, and try again`,
	limitedFix: "wait, and try again",
	refused: ({
		status,
		path,
		message = "no reason given",
	}: {
		readonly status: number;
		readonly path: string;
		/** Error message from Discord. */
		readonly message: string | undefined;
	}) => `Discord answered ${status} to GET ${path}: ${message}`,

	intent: "the bot is allowed to read messages",
	noIntent: "the bot is not allowed to read messages, so Discord refuses the connection",
	noIntentFix: ({ page }: { readonly page: string }) =>
		`under "Privileged Gateway Intents" on ${page}, switch on "Message Content Intent"`,
	interactions: "the connector receives commands and buttons",
	interactionsElsewhere: ({ url }: { readonly url: string }) =>
		`Discord sends commands and buttons to ${url} instead of the connector`,
	interactionsElsewhereFix: ({ page }: { readonly page: string }) =>
		`clear "Interactions Endpoint URL" on ${page}`,
	invite: "the bot can be invited",
	noInvite: "the invite link alone cannot add the bot to a server",
	noInviteFix: ({ page }: { readonly page: string }) => `on ${page}, switch off "Requires OAuth2 Code Grant"`,

	connections: ({ remaining }: Connections) =>
		`Discord can be reached, and allows ${remaining} more connections until the limit resets`,
	noConnections: "Discord allows no further connections until the limit resets",
	noConnectionsFix: ({ hours }: { readonly hours: number }) =>
		`wait ${hours} ${hours === 1 ? "hour" : "hours"}, and find the program that restarts repeatedly`,
	fewConnections: ({ remaining }: Connections) =>
		`Discord allows only ${remaining} more ${remaining === 1 ? "connection" : "connections"} until the limit resets`,
	fewConnectionsFix: "find the program that restarts repeatedly, before Discord refuses further connections",
	shards: ({ shards }: { readonly shards: number }) =>
		`Discord recommends ${shards} connections for this bot`,
	shardsFix:
		"remove the bot from some servers: the connector opens only one connection, and a connection serves fewer than 2,500 servers",
} as const;
