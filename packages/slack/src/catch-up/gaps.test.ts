import type { RoomProgress } from "@parley/connector";
import { expect, test } from "vitest";
import { gapsOf, stampOf } from "./gaps.ts";

const at = (minutes: number): number => Date.UTC(2026, 0, 1) + minutes * 60_000;
const latest = stampOf(at(60));

function progressOf(
	minutes: readonly number[],
	where: { readonly channel?: string; readonly thread?: number; readonly used?: number },
): RoomProgress {
	const { channel = "C1", thread, used = 0 } = where;
	const id = (minute: number): string => `${channel}-${stampOf(at(minute))}`;
	const room = { tenant: "T1", channel, shared: false, kind: "channel" } as const;
	return {
		room: { ...room, ...(thread !== undefined && { thread: id(thread) }) },
		messages: [...minutes.map(id), "file_1"],
		usedAt: at(used),
	};
}

test("a channel is read from the newest message of a session, or from its last use", () => {
	const rooms = [
		...[progressOf([3, 7], { channel: "D1", used: 9 }), progressOf([5], { channel: "D1", used: 12 })],
		progressOf([], { channel: "D2", used: 20 }),
	];
	const seenBefore = true;
	expect(gapsOf(rooms, latest)).toEqual([
		{ place: { channel: "D2" }, oldest: stampOf(at(20)), latest, seenBefore },
		{ place: { channel: "D1" }, oldest: stampOf(at(7)), latest, seenBefore },
	]);
});

test("a thread is read separately, and its channel from the newest message that started a thread", () => {
	const rooms = [
		...[progressOf([1, 8], { thread: 1, used: 9 }), progressOf([5], { thread: 5, used: 6 })],
		// Commands belong to the channel, and are not messages.
		progressOf([], { used: 30 }),
	];
	const [one, other] = [1, 5].map((minute) => stampOf(at(minute)));
	const seenBefore = true;
	expect(gapsOf(rooms, latest)).toEqual([
		{ place: { channel: "C1" }, oldest: other, latest, seenBefore },
		{ place: { channel: "C1", thread: one }, oldest: stampOf(at(8)), latest, seenBefore },
		{ place: { channel: "C1", thread: other }, oldest: other, latest, seenBefore },
	]);
});
