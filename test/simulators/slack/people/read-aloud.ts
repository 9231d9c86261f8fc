import { relativeTime } from "../../chat/relative-time.ts";
import type { State } from "../platform/state.ts";

/**
 * Replaces mentions, dates, links and entities with the text that a client displays:
 * https://docs.slack.dev/messaging/formatting-message-text
 */
export function readAloud(state: State, text: string): string {
	return text
		.replace(/<@(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `@${state.users.get(id)?.name ?? "unknown"}`)
		.replace(/<#(\w+)(?:\|[^>]*)?>/g, (_, id: string) => `#${state.channels.get(id)?.name ?? "private"}`)
		.replace(/<!(channel|here|everyone)(?:\|[^>]*)?>/g, "@$1")
		.replace(/<!date\^(\d+)\^([^>|^]*)(?:\^[^>|]*)?(?:\|[^>]*)?>/g, (_, seconds: string, format: string) =>
			dated(Number(seconds) * 1000, format, state.now()),
		)
		.replace(/<(https?:\/\/[^>|]+|mailto:[^>|]+)\|([^>]*)>/g, "[$2]($1)")
		.replace(/<(https?:\/\/[^>|]+|mailto:[^>|]+)>/g, "$1")
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&amp;", "&");
}

/** Formats a date as Slack does: https://docs.slack.dev/messaging/formatting-message-text#date-formatting */
function dated(at: number, format: string, now: number): string {
	const [date = "", time = ""] = new Date(at).toISOString().split("T");
	return format
		.replaceAll("{ago}", relativeTime(Math.round((at - now) / 1000)))
		.replaceAll("{time_secs}", time.slice(0, 8))
		.replaceAll("{time}", time.slice(0, 5))
		.replaceAll(/\{date[a-z_]*\}/g, date);
}
