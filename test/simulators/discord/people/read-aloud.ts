import { relativeTime } from "../../chat/relative-time.ts";
import type { ChannelRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";

/**
 * Replaces mentions and timestamps with the text that a client displays:
 * https://discord.com/developers/docs/reference#message-formatting
 */
export function readAloud(state: State, { guild }: ChannelRecord, text: string): string {
	const user = (id: string): string => {
		const nick = guild?.members.get(id)?.nick;
		return `@${nick ?? state.users.get(id)?.name ?? "unknown-user"}`;
	};
	return text
		.replace(/<@!?(\d+)>/g, (_, id: string) => user(id))
		.replace(/<@&(\d+)>/g, (_, id: string) => `@${guild?.roles.get(id)?.name ?? "deleted-role"}`)
		.replace(/<#(\d+)>/g, (_, id: string) => `#${state.channels.get(id)?.name ?? "deleted-channel"}`)
		.replace(/<\/([^:>]+):\d+>/g, (_, name: string) => `/${name}`)
		.replace(/<t:(-?\d+)(?::([tTdDfFR]))?>/g, (_, seconds: string, style: string | undefined) =>
			momentOf(Number(seconds) * 1000, style ?? "f", state.now()),
		);
}

function momentOf(at: number, style: string, now: number): string {
	if (style === "R") return relativeTime(Math.round((at - now) / 1000));
	const [date = "", time = ""] = new Date(at).toISOString().split("T");
	if (style === "t" || style === "T") return time.slice(0, style === "t" ? 5 : 8);
	return style === "d" || style === "D" ? date : `${date} ${time.slice(0, 5)}`;
}
