/** Texts of `parley slack manifest`. */
export const manifestTexts = {
	matches: "the app matches the manifest",
	standardInput: "standard input",
	notJson: ({ file }: { readonly file: string }) =>
		`${file} is not JSON: use the JSON under "App Manifest" in the settings of the app`,
	noManifest: ({ file }: { readonly file: string }) =>
		`${file} is not an app manifest: use the JSON under "App Manifest" in the settings of the app`,
	unreadable: ({ file }: { readonly file: string }) =>
		`cannot read ${file}: check its path and its permissions`,
	insecureUrl: ({ url }: { readonly url: string }) =>
		`--public-url ${url} is not an https address\nuse an https address: Slack sends requests only to such addresses`,
	urlWithPath: ({ url, origin }: { readonly url: string; readonly origin: string }) =>
		`--public-url ${url} has a path or a query\nuse ${origin}: the connector adds /slack/events`,
} as const;

const setupHint = "`parley slack setup` explains how to get the tokens";

/** Errors of the Slack settings. */
export const slackSettingTexts = {
	setupHint,
	noBotToken: `SLACK_BOT_TOKEN is not set\n${setupHint}`,
	invalidBotToken: `SLACK_BOT_TOKEN is not a bot token: a bot token begins with xoxb-\n${setupHint}`,
	invalidAppToken: `SLACK_APP_TOKEN is not an app token: an app token begins with xapp-\n${setupHint}`,
	appTokenOrSecret: "SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET)",
	missing: ({ variable }: { readonly variable: string }) => `${variable} is not set\n${setupHint}`,
	noListen:
		"SLACK_SIGNING_SECRET requires an address to listen on\nset --listen 127.0.0.1:3000, or slack.listen in the configuration",
	invalidListen: ({ address }: { readonly address: string }) =>
		`--listen ${address} is not an address\nuse HOST:PORT, for example 127.0.0.1:3000`,
} as const;
