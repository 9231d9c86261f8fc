/** Pairing instructions and variable names of the chat platforms. */
export const platformTexts = {
	discordPairing: ({ code }: { readonly code: string }) => `In a channel of your server, type /pair ${code}`,
	slackPairing: ({ code }: { readonly code: string }) => `In a channel, type /parley pair ${code}`,
	slackVariables: "SLACK_BOT_TOKEN and SLACK_APP_TOKEN",
	slackHttpVariables: "SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET and slack.listen",
} as const;
