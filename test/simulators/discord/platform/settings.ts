export interface Allowance {
	readonly limit: number;
	readonly perMs: number;
}

/** Settings of the simulator that a test may change. */
export interface SimulatorSettings {
	/** Limit of each bucket whose route is not in `buckets`. Discord sends the real limits only in headers. */
	readonly bucket: Allowance;
	/** Limits by method and route. Users have observed a limit of five posts in five seconds. */
	readonly buckets: Readonly<Record<string, Allowance>>;
	/**
	 * Limit of all requests with a token:
	 * https://discord.com/developers/docs/topics/rate-limits#global-rate-limit
	 */
	readonly global: Allowance;
	/** Limit of writes to one channel (20028). Discord documents no number. */
	readonly channelWrites: Allowance;
	/**
	 * Limit of edits in one channel, for messages that are more than an hour old (30046). Discord documents no number.
	 */
	readonly oldEdits: Allowance;
	/** Limit of renames of one thread by the app: https://github.com/discord/discord-api-docs/issues/1900 */
	readonly threadNames: Allowance;
	/**
	 * Limit of invalid requests:
	 * https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans
	 */
	readonly invalid: Allowance;
	/**
	 * Validity period of a nonce, "the past few minutes":
	 * https://discord.com/developers/docs/resources/message#create-message
	 */
	readonly nonceMs: number;
	/** Whether the message history contains nonces. According to discord.py #2451, Discord does not store them. */
	readonly nonceInHistory: boolean;
	/** Time within which a session can be resumed: "a few minutes". */
	readonly resumableMs: number;
	/** Lifetime of file links: https://discord.com/developers/docs/reference#signed-attachment-cdn-urls */
	readonly linkMs: number;
	/**
	 * Time limit of the first response to an interaction:
	 * https://discord.com/developers/docs/interactions/receiving-and-responding#responding-to-an-interaction
	 */
	readonly firstAnswerMs: number;
	readonly tokenMs: number;
	readonly heartbeatMs: number;
	readonly identifiesPerDay: number;
	/**
	 * Limit of a bot's presence updates. The number was observed, because the documentation of the gateway states none.
	 */
	readonly presences: Allowance;
	/** Maximum size of a file: https://discord.com/developers/docs/reference#uploading-files */
	readonly fileBytes: number;
}

const second = 1000;
const minute = 60 * second;

export const defaultSettings: SimulatorSettings = {
	bucket: { limit: 50, perMs: second },
	buckets: {
		"POST /channels/{channel_id}/messages": { limit: 5, perMs: 5 * second },
		"PATCH /channels/{channel_id}/messages/{message_id}": { limit: 5, perMs: 5 * second },
		"DELETE /channels/{channel_id}/messages/{message_id}": { limit: 5, perMs: 5 * second },
		"PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me": { limit: 1, perMs: 250 },
		"POST /webhooks/{webhook_id}/{webhook_token}": { limit: 5, perMs: 2 * second },
	},
	global: { limit: 50, perMs: second },
	channelWrites: { limit: 30, perMs: 5 * second },
	oldEdits: { limit: 30, perMs: 60 * minute },
	threadNames: { limit: 2, perMs: 10 * minute },
	invalid: { limit: 10_000, perMs: 10 * minute },
	nonceMs: 3 * minute,
	nonceInHistory: false,
	resumableMs: 3 * minute,
	linkMs: 24 * 60 * minute,
	firstAnswerMs: 3 * second,
	tokenMs: 15 * minute,
	heartbeatMs: 41_250,
	identifiesPerDay: 1000,
	presences: { limit: 5, perMs: 20 * second },
	fileBytes: 10 * 1024 * 1024,
};
