interface Settings {
	/** Page with the settings of the app. */
	readonly settings: string;
	/** Whether Slack sends requests to the connector, instead of using Socket Mode. */
	readonly http: boolean;
}

/** Title and instruction of each step in `parley slack setup`. */
export const setupTexts = {
	token: {
		title: "Create the app",
		todo: ({ settings, http }: Settings) =>
			`On ${settings}, press "Create New App" and then "From a manifest". Paste the output of \`parley slack manifest${
				http ? " --public-url URL` (URL is the public address of the connector)" : "`"
			}. Then press "Install to Workspace", and set SLACK_BOT_TOKEN to the token under "OAuth & Permissions".`,
	},
	transport: {
		title: "Let it receive messages",
		todo: ({ http }: Settings) =>
			http
				? 'Under "Basic Information", copy the signing secret, and set SLACK_SIGNING_SECRET to it. Set the address of the connector with --listen. The request URL is the public address of the connector, followed by /slack/events. When the connector runs, press "Retry" next to the request URL under "Event Subscriptions" until it shows "Verified".'
				: 'Under "Basic Information", "App-Level Tokens", create a token with the scope connections:write, and set SLACK_APP_TOKEN to it.',
	},
	rooms: {
		title: "Add it to a channel",
		todo: () => "In a channel, type /invite and the name of the bot, for example /invite @parley.",
	},
	answer: {
		todo: "In Slack, mention the bot in one of its channels, or send it a direct message. It answers you.",
	},
} as const;
