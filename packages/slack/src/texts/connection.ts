/** States of the connection to Slack, for operators. `parley status` and the log show them. */
export const connectionTexts = {
	/** Names of tokens in the text of a refusal. */
	tokens: { bot: "the bot token", app: "the app token" },
	/** Refusal of a token. `error` is Slack's error code, and `fix` is a text of `fixes`. */
	refused: ({
		token,
		error,
		fix,
	}: {
		readonly token: string;
		readonly error: string;
		readonly fix: string;
	}) => `Slack refuses ${token} (${error}): ${fix}`,
	notABotToken: "the token is not a bot token: use the token that starts with xoxb-",
	answered: ({ error, method }: { readonly error: string; readonly method: string }) =>
		`Slack answered ${error} to ${method}`,
	noAnswer: ({ method }: { readonly method: string }) => `Slack did not answer ${method}`,
	noSocketAddress: ({ method }: { readonly method: string }) =>
		`Slack's response to ${method} contains no valid address`,
	limited: ({ method }: { readonly method: string }) => `Slack limits the rate of ${method}`,
	/** Fixes by Slack's error code, for all tokens or for each kind of token. */
	fixes: {
		not_authed: {
			bot: "the token is missing; set the environment variable SLACK_BOT_TOKEN",
			app: "the token is missing; set the environment variable SLACK_APP_TOKEN",
		},
		invalid_auth:
			"the token is invalid, or this IP address is not allowed; copy the token again, or allow the address",
		account_inactive:
			"the app was removed, or its workspace was deleted; install the app again and use the new token",
		token_revoked: "the token was revoked; install the app again and use the new token",
		token_expired: "the token has expired; use a new token, or switch off token rotation",
		not_allowed_token_type:
			"the token has the wrong type; use a bot token (xoxb-) as SLACK_BOT_TOKEN, and an app token (xapp-) as SLACK_APP_TOKEN",
		missing_scope: {
			bot: "update the app with the output of `parley slack manifest`, and install it again",
			app: 'create an app token with the scope "connections:write"',
		},
		no_permission: "the token lacks a permission; install the app again",
		user_removed_from_team: "the bot was removed from the workspace; install the app again",
		team_disabled: "the workspace is disabled; ask its administrator to enable it",
		team_access_not_granted:
			"the app has no access to this workspace; ask an administrator of the organisation to add the app",
		ekm_access_denied: "the administrators of the workspace have suspended access; ask them to restore it",
		access_denied: "the workspace denies access; ask its administrator to allow the app",
		socket_mode_disabled: "in the settings of the app, switch on Socket Mode",
	},
	notConnected: ({ reason }: { readonly reason: string }) => `cannot connect to Slack: ${reason}; retrying`,
	socketLost: "the connection to Slack was lost: reconnecting",
	socketModeOff: "Socket Mode was switched off: in the settings of the app, switch it on",
	lateBody: ({ seconds }: { readonly seconds: number }) =>
		`cannot read the body of a request: it did not arrive within ${seconds} seconds`,
	tooManyBodies: ({ maximum }: { readonly maximum: number }) =>
		`cannot read the body of a request: more than ${maximum} requests arrived at the same time`,
	cannotListen: ({
		host,
		port,
		reason,
	}: {
		readonly host: string;
		readonly port: number;
		readonly reason: string;
	}) =>
		`cannot listen on ${host}:${port} (${reason}); set another address with --listen, or with slack.listen in the configuration`,
	noTransport:
		"cannot receive messages from Slack: set SLACK_APP_TOKEN, or set SLACK_SIGNING_SECRET and --listen",
} as const;
