interface Settings {
	/** Page with the settings of the app. */
	readonly settings: string;
}

interface Address {
	/** Address of the connector, for example `127.0.0.1:3000`. */
	readonly at: string;
}

/** Findings of `parley slack doctor`. Each fix is an instruction. */
export const doctorTexts = {
	token: ({ name, url }: { readonly name: string; readonly url: string }) =>
		`the token belongs to ${name} in ${url}`,
	tokenFix: ({ settings }: Settings) =>
		`set SLACK_BOT_TOKEN to the token under "OAuth & Permissions" on ${settings}`,
	tokensFix: ({ settings }: Settings) =>
		`copy the tokens again from ${settings}: xoxb- from "OAuth & Permissions", xapp- from "Basic Information"`,
	settingsFix: ({ settings }: Settings) =>
		`follow this advice, and try again; the settings of the app are on ${settings}`,
	refusedFix: ({ settings }: Settings) =>
		`check on ${settings} that the app still exists and is installed, and try again`,
	limited: ({ method, seconds }: { readonly method: string; readonly seconds: number }) =>
		`Slack limits the rate of ${method} for ${seconds} ${seconds === 1 ? "second" : "seconds"}`,
	limitedFix: "wait, and try again",
	lacksScope: ({
		method,
		token,
		scope,
		fix,
	}: {
		readonly method: string;
		readonly token: string;
		readonly scope: string;
		readonly fix: string;
	}) => `Slack refuses ${method} (missing_scope): ${token} lacks the scope "${scope}"; ${fix}`,
	/** Fixes by kind of token. */
	lacksScopeFixes: {
		app: "create an app token with this scope, and set SLACK_APP_TOKEN to it",
		bot: "update the app with the output of `parley slack manifest`, and install it again",
	},

	scopes: "the bot has the scopes that it needs",
	scopesUnknown: "the scopes were not checked: Slack did not list them",
	scopesLacking: ({ scopes }: { readonly scopes: string }) => `the bot lacks scopes: ${scopes}`,
	scopesUnneeded: ({ scopes }: { readonly scopes: string }) =>
		`the bot has scopes that it does not need: ${scopes}`,
	scopesFix: ({ settings }: Settings) =>
		`update the app on ${settings} with the output of \`parley slack manifest\`, and install it again`,

	sockets: "the connector can open sockets to Slack",
	noTransport: "the connector cannot receive messages from Slack",
	appTokenFix: ({ settings }: Settings) =>
		`create an app-level token with the scope connections:write under "Basic Information" on ${settings}, and set SLACK_APP_TOKEN to it`,
	secretFix: ({ settings }: Settings) =>
		`set SLACK_SIGNING_SECRET to the signing secret under "Basic Information" on ${settings}, and set the address of the connector with --listen`,
	answers: ({ at }: Address) => `the connector answers at ${at}`,
	answersFix: ({ settings }: Settings) =>
		`to check that Slack reaches the address: under "Event Subscriptions" on ${settings}, press "Retry" next to the request URL until it shows "Verified"`,
	otherSecret: ({ at }: Address) => `the server at ${at} does not accept this signing secret`,
	otherSecretFix: ({ settings }: Settings) =>
		`set SLACK_SIGNING_SECRET to the secret under "Basic Information" on ${settings}, here and for the connector, and restart the connector`,
	otherServer: ({ at }: Address) => `the server at ${at} is not the connector`,
	otherServerFix: "set the address of the connector with --listen, or with slack.listen in the configuration",
	noServer: ({ at }: Address) => `no server answers at ${at}, so the connector receives no messages`,
	noServerFix: ({ at }: Address) =>
		`set SLACK_SIGNING_SECRET and run \`parley slack --listen ${at}\`, or run \`parley start\` with slack.listen in the configuration`,
	anyPort: ({ at }: Address) => `the connector was not checked: port 0 in ${at} means any free port`,
	anyPortFix: "set a fixed port with --listen, or with slack.listen in the configuration",

	rooms: ({ count, isComplete }: { readonly count: number; readonly isComplete: boolean }) =>
		`the bot is in ${isComplete ? "" : "at least "}${count} ${count === 1 ? "channel" : "channels"}`,
	noRooms: "the bot is not in any channel",
	noRoomsFix: "in a channel, type /invite and the name of the bot, for example /invite @parley",

	history: "Slack allows the app about 50 history requests a minute",
	/** Warns about a limited app. `maximum` is the number of messages in a response. */
	limitedHistory: ({ maximum }: { readonly maximum: number }) =>
		`Slack limits the app to one history request a minute, with ${maximum} messages: missed messages are read slowly`,
	limitedHistoryFix: ({ settings }: Settings) =>
		`create your own app for your workspace on ${settings}, and do not distribute it`,
	unknownHistory:
		"the rate limit of the app was not checked, because the bot could not read enough messages of a channel",
	unknownHistoryFix: ({ settings, maximum }: Settings & { readonly maximum: number }) =>
		`see "Manage Distribution" on ${settings}. An app that is not distributed may read history about 50 times a minute. An app that is sold outside Slack's Marketplace may read ${maximum} messages once a minute.`,
} as const;
