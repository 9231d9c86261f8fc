export const channelGrantTexts = {
	notFound: (id: string): string => `grant not found: ${id}; use an id from the list of grants`,
	revoked: (principal: string, reason: string): string =>
		`revoked by ${principal}${reason === "" ? "" : `: ${reason}`}`,
	stopped: (principal: string): string => `stopped by ${principal}`,
	acceptAll:
		"accept_all_tools applies in a chat only while its channel is trusted: request trust with request_grant, which the operator or an owner confirms",
	noConversation: (channel: string): string =>
		`the channel ${channel} has no session yet: send a message in the channel first, so that the channel can show the question`,
	otherChannel: (session: string, channel: string): string =>
		`${session} is not a session of ${channel}: use a session of this channel`,
	cannotTrust: (reason: string): string =>
		`this channel cannot be trusted: ${reason}; approve each call instead`,
	cannotTrustShared:
		"this channel cannot be trusted: people from another organisation can read it; approve each call instead",
	shared: "people from another organisation can read it",
	strangerWrote: "a person without access wrote in it",
	alreadyRequested:
		"trust was already requested: wait until the operator or an owner answers the open question",
} as const;

export const openGrantTexts = {
	stoppedTooLong: "the gateway was stopped for more than an hour",
	replaced: "a newer grant replaces it",
	trusted: "a channel is trusted",
	noLongerTrusted: "a channel is no longer trusted",
	gateway: "this gateway",
	conversation: "a conversation in the channel",
	budgetSpent: (scope: string): string => `the budget of ${scope} is spent`,
	notEnded: "trust grants could not be ended after a budget was spent",
	notChecked: "trust grants of channels could not be checked",
} as const;
