const link = /^https:\/\/moment\.invalid\/(\d{1,12})\/(relative|exact)$/;

/**
 * Names the day where it is near and always the time: Slack has no words for how long something will be
 * (https://docs.slack.dev/messaging/formatting-message-text#date-formatting).
 */
const formats = { relative: "{date_short_pretty} at {time}", exact: "{date_short} at {time}" } as const;

/** A moment as Slack shows it, each reader in their own time. */
export interface Moment {
	/** Seconds since the epoch. */
	readonly timestamp: number;
	readonly format: string;
	/** What is shown where Slack cannot. */
	readonly fallback: string;
}

/** Markdown of the kit that shows up as a moment in the reader's own time; elsewhere as its label. */
export function momentMarkdown(at: number, style: "relative" | "exact"): string {
	const seconds = Math.floor(at / 1000);
	return `[${labelOf(seconds)}](https://moment.invalid/${seconds}/${style})`;
}

/** What a link stands for; undefined where it is a link. */
export function momentOf(url: string): Moment | undefined {
	const [, seconds, style] = link.exec(url) ?? [];
	if (seconds === undefined || (style !== "relative" && style !== "exact")) return undefined;
	const timestamp = Number(seconds);
	return { timestamp, format: formats[style], fallback: labelOf(timestamp) };
}

/** As it stands in a text: https://docs.slack.dev/messaging/formatting-message-text#date-formatting. */
export function momentToken({ timestamp, format, fallback }: Moment): string {
	return `<!date^${timestamp}^${format}|${fallback}>`;
}

function labelOf(seconds: number): string {
	return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
