const link = /^https:\/\/moment\.invalid\/(\d{1,12})\/(relative|exact)$/;

/**
 * Shows the day if it is near, and always the time: Slack has no relative times
 * (https://docs.slack.dev/messaging/formatting-message-text#date-formatting).
 */
const formats = { relative: "{date_short_pretty} at {time}", exact: "{date_short} at {time}" } as const;

/** A time that Slack shows in the reader's time zone. */
export interface Moment {
	/** Seconds since the epoch. */
	readonly timestamp: number;
	readonly format: string;
	/** Text if Slack cannot show it. */
	readonly fallback: string;
}

/** Markdown of a time. Slack shows it in the reader's time zone, other programs show its label. */
export function momentMarkdown(at: number, style: "relative" | "exact"): string {
	const seconds = Math.floor(at / 1000);
	return `[${labelOf(seconds)}](https://moment.invalid/${seconds}/${style})`;
}

/** The time of a link; undefined for a real link. */
export function momentOf(url: string): Moment | undefined {
	const [, seconds, style] = link.exec(url) ?? [];
	if (seconds === undefined || (style !== "relative" && style !== "exact")) return undefined;
	const timestamp = Number(seconds);
	return { timestamp, format: formats[style], fallback: labelOf(timestamp) };
}

/** Time in a text: https://docs.slack.dev/messaging/formatting-message-text#date-formatting. */
export function momentToken({ timestamp, format, fallback }: Moment): string {
	return `<!date^${timestamp}^${format}|${fallback}>`;
}

function labelOf(seconds: number): string {
	return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
