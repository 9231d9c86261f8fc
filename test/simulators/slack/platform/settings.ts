export interface Allowance {
	readonly limit: number;
	readonly perMs: number;
}

/** Settings of the simulator that a test may change. */
export interface SimulatorSettings {
	/**
	 * Calls per minute by tier, for each method and workspace: https://docs.slack.dev/apis/web-api/rate-limits. The
	 * lowest tier is "1+" with "a small amount of burst". Slack documents no number for the burst.
	 */
	readonly tiers: Readonly<Record<1 | 2 | 3 | 4, number>>;
	/** Posts to one channel: "1 per second", with "short bursts". Slack documents no number for the bursts. */
	readonly posts: Allowance;
	/**
	 * Type of the app. A commercial app has lower limits:
	 * https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps
	 */
	readonly app: "internal" | "commercial";
	/** Time limit for an acknowledgement: https://docs.slack.dev/apis/events-api#responding */
	readonly acknowledgeMs: number;
	/** Delays before the retries of an unacknowledged event: https://docs.slack.dev/apis/events-api#retries */
	readonly retriesMs: readonly number[];
	/**
	 * Maximum uses of a response URL:
	 * https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
	 */
	readonly responseUses: number;
	/** Lifetime of a response URL. */
	readonly responseMs: number;
	/** Lifetime of a trigger: "trigger_ids expire three seconds after", https://docs.slack.dev/surfaces/modals */
	readonly triggerMs: number;
	/** Lifetime of a status, "a two-minute timeout" in `assistant.threads.setStatus`. */
	readonly statusMs: number;
	/**
	 * Maximum duration of a stream. The value is observed, because Slack does not document it: slackapi/node-slack-sdk
	 * #2702.
	 */
	readonly streamMs: number;
	/**
	 * Maximum number of characters in a complete stream. Slack documents no number, so this is the limit of a Markdown
	 * block.
	 */
	readonly streamText: number;
	/**
	 * Delay between the last step of an upload and the appearance of the file in the channel. Slack documents no
	 * number.
	 */
	shareMs: number;
	/** Milliseconds within which users can edit a message. Unlimited if undefined. */
	readonly editWindowMs: number | undefined;
}

const second = 1000;
const minute = 60 * second;

export const defaultSettings: SimulatorSettings = {
	tiers: { 1: 4, 2: 20, 3: 50, 4: 100 },
	posts: { limit: 5, perMs: 5 * second },
	app: "internal",
	acknowledgeMs: 3 * second,
	retriesMs: [0, minute, 5 * minute],
	responseUses: 5,
	responseMs: 30 * minute,
	triggerMs: 3 * second,
	statusMs: 2 * minute,
	streamMs: 5 * minute,
	streamText: 12_000,
	shareMs: 0,
	editWindowMs: undefined,
};
