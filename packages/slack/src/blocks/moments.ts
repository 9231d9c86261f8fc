import { timeTexts } from "../texts/time.ts";

const link = /^https:\/\/moment\.invalid\/(\d{1,12})$/;

/** Format of a relative time. Slack documents it only for past times: `RichTextDate.format` of `@slack/types` */
const format = "{ago}";

/** A past time that Slack shows relative to the current time. */
export interface Moment {
	/** Seconds since the epoch. */
	readonly timestamp: number;
	readonly format: string;
	/** Text for clients that cannot show the time. */
	readonly fallback: string;
}

/**
 * Returns Markdown for the time `at`, in milliseconds since the epoch. A time after `from` becomes fixed text. Any
 * other time becomes a link for `parseMomentLink`, and Slack shows the time relative to now.
 */
export function momentMarkdown(at: number, from = at): string {
	if (at > from) return timeTexts.in(spanOf(at - from));
	const seconds = Math.floor(at / 1000);
	return `[${labelOf(seconds)}](https://moment.invalid/${seconds})`;
}

/** Returns the time of a link, or undefined for an ordinary link. */
export function parseMomentLink(url: string): Moment | undefined {
	const seconds = link.exec(url)?.[1];
	if (seconds === undefined) return undefined;
	const timestamp = Number(seconds);
	return { timestamp, format, fallback: labelOf(timestamp) };
}

/** Returns the token of a time in mrkdwn: https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
export function momentToken({ timestamp, format: shown, fallback }: Moment): string {
	return `<!date^${timestamp}^${shown}|${fallback}>`;
}

function labelOf(seconds: number): string {
	return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function spanOf(ms: number): Parameters<typeof timeTexts.in>[0] {
	const seconds = Math.ceil(ms / 1000);
	const [minutes, hours] = [Math.round(seconds / 60), Math.round(seconds / 3600)];
	if (seconds < 120) return { count: seconds, unit: "s" };
	if (minutes < 120) return { count: minutes, unit: "min" };
	if (hours < 48) return { count: hours, unit: "h" };
	return { count: Math.round(hours / 24), unit: "days" };
}
