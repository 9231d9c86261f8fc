export interface Allowance {
	readonly limit: number;
	readonly perMs: number;
}

/** Limits of Slack that a test may change. If Slack documents no number, the comment explains ours. */
export interface SimulatorSettings {
	/**
	 * Calls per minute by tier, for each method and workspace: https://docs.slack.dev/apis/web-api/rate-limits. The lowest
	 * is "1+" with "a small amount of burst", for which Slack documents no number.
	 */
	readonly tiers: Readonly<Record<1 | 2 | 3 | 4, number>>;
	/** Posts to one channel: "1 per second", with "short bursts" for which Slack documents no number. */
	readonly posts: Allowance;
	/**
	 * Limits for commercial apps: https://docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps
	 */
	readonly app: "internal" | "commercial";
	/** https://docs.slack.dev/apis/events-api#responding */
	readonly acknowledgeMs: number;
	/** Delays before the retries of an unacknowledged event: https://docs.slack.dev/apis/events-api#retries */
	readonly retriesMs: readonly number[];
	/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
	readonly responseUses: number;
	readonly responseMs: number;
	/** https://docs.slack.dev/surfaces/modals: "trigger_ids expire three seconds after". */
	readonly triggerMs: number;
	/** `assistant.threads.setStatus`: "a two-minute timeout". */
	readonly statusMs: number;
	/** Maximum duration of a stream. Observed, and not documented: slackapi/node-slack-sdk #2702. */
	readonly streamMs: number;
	/** Characters of a whole stream. Slack documents no number; a block of Markdown has as many. */
	readonly streamText: number;
	/**
	 * Delay between the last step of an upload and its appearance in the channel. Slack documents no number. A test may
	 * change it.
	 */
	shareMs: number;
	/** Milliseconds in which people can edit a message. If undefined, without limit. */
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
