import { defined, definedItems } from "@parley/base";
import type { RoomProgress } from "@parley/connector";
import * as z from "zod";
import { id, ts } from "../intake/wire.ts";
import { messageTime, readMessageId } from "../vocabulary/message-id.ts";
import { type ActiveChannel, nameOf } from "./active-channels.ts";

/** A period of possibly missed messages in a channel or thread, in Slack timestamps. */
export interface Gap {
	readonly place: ActiveChannel;
	readonly oldest: string;
	readonly latest: string;
	/**
	 * True if an earlier process may have answered the messages in the gap, but the database of that process is lost.
	 */
	readonly seenBefore?: true;
}

/** Converts milliseconds since the epoch to a Slack timestamp. */
export function stampOf(at: number): string {
	return (at / 1000).toFixed(6);
}

const MessageTimes = z.object({
	event: z.object({
		channel: id,
		ts,
		thread_ts: ts.optional(),
		type: z.enum(["message", "app_mention"]),
		// The history has no separate entries for edits.
		subtype: z.enum(["file_share", "thread_broadcast", "me_message", "bot_message"]).optional(),
		edited: z.null().optional(),
	}),
});

/** Returns the gap that contains the message of a missed outer event, or undefined for other events. */
export function gapOf(body: unknown, now: number): Gap | undefined {
	const event = MessageTimes.safeParse(body).data?.event;
	if (event === undefined) return undefined;
	const { type, channel, ts, thread_ts: thread = ts } = event;
	const at = messageTime(ts);
	const isAddressed = type === "app_mention" || channel.startsWith("D");
	return {
		place: defined({
			channel,
			thread: thread === ts ? undefined : thread,
			us: isAddressed ? (true as const) : undefined,
		}),
		oldest: stampOf(at - 1),
		latest: stampOf(Math.max(at + 1000, now)),
	};
}

export function isWithin(gap: Gap, outer: Gap): boolean {
	const isThere = nameOf(gap.place) === nameOf(outer.place);
	return isThere && outer.oldest <= gap.oldest && gap.latest <= outer.latest;
}

/**
 * Merges `more` into the list: one gap per channel or thread, except the first gap, which is being read and stays
 * unchanged.
 */
export function mergeGaps([first, ...left]: readonly Gap[], more: readonly Gap[]): Gap[] {
	const gaps = new Map<string, Gap>();
	for (const gap of [...left, ...more]) {
		const { oldest, latest, seenBefore = gap.seenBefore } = gaps.get(nameOf(gap.place)) ?? gap;
		const stamps = [oldest, latest, gap.oldest, gap.latest].toSorted();
		gaps.set(nameOf(gap.place), {
			place: gap.place,
			oldest: stamps[0] ?? gap.oldest,
			latest: stamps.at(-1) ?? gap.latest,
			...defined({ seenBefore }),
		});
	}
	return definedItems([first, ...gaps.values()]);
}

interface Known {
	readonly place: ActiveChannel;
	message?: string;
	/**
	 * Slack timestamp of the last use of the channel or thread. The gap begins at this timestamp if no message is known.
	 */
	used: string;
}

/**
 * Returns the gaps of rooms up to `latest`, most recently used first. Each gap begins at the newest known message, or
 * at the last use of the channel or thread if no message is known. The first message of a thread is a known message
 * of its channel.
 */
export function gapsOf(rooms: readonly RoomProgress[], latest: string): Gap[] {
	const known = new Map<string, Known>();
	const note = (place: ActiveChannel, messages: readonly string[], used: string): void => {
		const name = `${place.channel} ${place.thread ?? ""}`;
		const one = known.get(name) ?? { place, used };
		const message = newest(one.message, ...messages);
		known.set(name, defined({ place, used: newest(one.used, used) ?? used, message }));
	};
	for (const { room, messages, usedAt } of rooms) {
		const { channel } = room;
		const thread = room.thread === undefined ? undefined : readMessageId(room.thread)?.ts;
		const received = messages.flatMap((message) => readMessageId(message)?.ts ?? []);
		const used = stampOf(usedAt);
		if (thread === undefined) note({ channel }, received, used);
		else {
			note({ channel, thread }, received, used);
			note({ channel }, [thread], used);
		}
	}
	return [...known.values()]
		.toSorted((one, other) => (one.used < other.used ? 1 : -1))
		.map(({ place, message, used }) => ({ place, oldest: message ?? used, latest, seenBefore: true }));
}

function newest(...stamps: readonly (string | undefined)[]): string | undefined {
	return stamps.reduce((one, other) =>
		one === undefined || (other !== undefined && other > one) ? other : one,
	);
}
