/** Required fixes by Slack's error code: https://docs.slack.dev/reference/methods/auth.test#errors */
const fixes: Readonly<Record<string, string>> = {
	not_authed: "no token was given",
	invalid_auth: "the token is none that Slack knows: copy it again",
	account_inactive: "the app was removed from the workspace: install it again, and take its new token",
	token_revoked: "the token was revoked: install the app again, and take its new token",
	token_expired: "the token has expired: switch token rotation off, or give the new one",
	not_allowed_token_type: "the token is of another kind: bot tokens begin with xoxb-, app tokens with xapp-",
	missing_scope: 'the app token lacks the scope "connections:write": make one that has it',
	no_permission: "the token may not do this: install the app again",
	user_removed_from_team: "the bot was removed from the workspace: install the app again",
	team_disabled: "the workspace is disabled",
	team_access_not_granted: "the app is not granted for this workspace: ask its administrator",
	ekm_access_denied: "the administrators of the workspace have suspended access",
	access_denied: "the workspace denies access: ask its administrator",
	socket_mode_disabled: "Socket Mode is switched off: switch it on in the settings of the app",
};

/** Describes a permanent refusal for operators; undefined for errors that may pass. */
export function refusalOf(error: string, what: string): string | undefined {
	const fix = fixes[error];
	return fix === undefined ? undefined : `Slack refuses ${what} (${error}): ${fix}`;
}
