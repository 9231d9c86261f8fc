import * as z from "zod";
import { ts } from "./wire.ts";

const Said = z.object({ ts: ts.optional(), thread_ts: ts.optional() });
const Lined = z.object({
	event: Said.extend({
		channel: z.string(),
		deleted_ts: ts.optional(),
		message: Said.optional(),
		previous_message: Said.nullish(),
	}),
});

/**
 * What keeps its order: the messages, edits and deletions of a thread, or of a conversation with one person; all else has
 * none. A message at the top of a channel is the first of its thread.
 */
export function lineOf(body: unknown): string | undefined {
	const event = Lined.safeParse(body).data?.event;
	if (event === undefined) return undefined;
	const { channel, deleted_ts, message, previous_message: before } = event;
	if (channel.startsWith("D")) return channel;
	const thread = message?.thread_ts ?? before?.thread_ts ?? event.thread_ts;
	return `${channel}/${thread ?? message?.ts ?? deleted_ts ?? event.ts ?? ""}`;
}
