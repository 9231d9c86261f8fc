import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { InboundEvent } from "@parley/connector";
import { expect, test } from "vitest";
import { type EventHandlers, EventReceiver } from "./event-receiver.ts";
import { HighWater } from "./high-water.ts";

const person = { id: "7", name: "Ada", roles: [], guest: false, bot: false };
const room = { tenant: "1", channel: "5", shared: false, kind: "channel" } as const;
const address = { us: false, others: false, everyone: false };

function arrived(message: string, place: InboundEvent["room"] = room): InboundEvent {
	return {
		...{ type: "message", room: place, person, at: 0, message, text: "hello", address },
		...{ attachments: [], ourThread: false },
	};
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function place() {
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	const store = { load: async () => undefined, save: async () => undefined };
	const highWater = await HighWater.open({ store, clock, log });
	const there = Promise.withResolvers<EventHandlers>();
	const receiver = new EventReceiver({ handlers: there.promise, highWater, clock, log });
	const seen: string[] = [];
	const accepted: InboundEvent[] = [];
	const failures: Error[] = [];
	const translations = new Map<string, Promise<void>>();
	const handlers: EventHandlers = {
		intake: {
			async translate({ d }, signal) {
				// These tests pass inbound events inside `d`.
				const { inbound } = d as { readonly inbound: InboundEvent };
				const id = "message" in inbound ? (inbound.message ?? "") : "";
				await translations.get(id);
				signal.throwIfAborted();
				return [{ inbound, key: { id, conversation: "5" } }];
			},
		},
		interactions: { handle: (data) => void seen.push(`interaction ${String(data)}`) },
		accept: async (inbound, { id }) => {
			const failure = failures.shift();
			if (failure) throw failure;
			accepted.push(inbound);
			seen.push(id);
			return true;
		},
	};
	const receive = (channel: string, inbound: InboundEvent) =>
		receiver.receive({ t: "MESSAGE_CREATE", d: { channel_id: channel, inbound } });
	const begin = (): void => there.resolve(handlers);
	return {
		clock,
		log,
		highWater,
		receiver,
		receive,
		seen,
		accepted,
		failures,
		translations,
		begin,
		there,
	};
}

test("events of one channel are handled in order, and events of other channels do not wait for them", async () => {
	const { receive, seen, translations, begin, highWater } = await place();
	const slow = Promise.withResolvers<void>();
	translations.set("1", slow.promise);
	const first = receive("5", arrived("1"));
	const second = receive("5", arrived("2"));
	const other = receive("6", arrived("3", { ...room, channel: "6" }));
	await settled();
	expect(seen).toEqual([]);
	begin();
	await other;
	expect(seen).toEqual(["3"]);
	slow.resolve();
	await Promise.all([first, second]);
	expect(seen).toEqual(["3", "1", "2"]);
	expect([...highWater.cursors]).toEqual([
		["6", { message: "3", guild: "1" }],
		["5", { message: "2", guild: "1" }],
	]);
});

test("events of one guild are handled in order, and wait for no other guild", async () => {
	const { receiver, seen, translations, begin } = await place();
	begin();
	const slow = Promise.withResolvers<void>();
	translations.set("1", slow.promise);
	const dispatch = (t: string, of: object, id: string) =>
		receiver.receive({ t, d: { ...of, inbound: arrived(id) } });
	const first = [
		dispatch("CHANNEL_UPDATE", { id: "5", guild_id: "1" }, "1"),
		dispatch("GUILD_ROLE_UPDATE", { guild_id: "1" }, "2"),
		dispatch("GUILD_UPDATE", { id: "1" }, "3"),
	];
	await dispatch("CHANNEL_UPDATE", { id: "6", guild_id: "2" }, "4");
	expect(seen).toEqual(["4"]);
	slow.resolve();
	await Promise.all(first);
	expect(seen).toEqual(["4", "1", "2", "3"]);
});

test("an event that cannot be stored is retried before later ones", async () => {
	const { clock, log, receive, seen, failures, begin, highWater } = await place();
	begin();
	failures.push(new Error("disk full"), new Error("disk full"));
	const received = [receive("5", arrived("1")), receive("5", arrived("2"))];
	await settled();
	expect([seen, highWater.cursors.size]).toEqual([[], 0]);
	clock.advance(1000);
	await settled();
	clock.advance(1000);
	await Promise.all(received);
	expect(seen).toEqual(["1", "2"]);
	expect(log.records.map(({ level }) => level)).toEqual(["warn", "warn"]);
});

test("an interaction waits only for the start", async () => {
	const { receiver, receive, seen, translations, begin } = await place();
	translations.set("1", new Promise(() => undefined));
	const early = receiver.receive({ t: "INTERACTION_CREATE", d: "early" });
	begin();
	await early;
	void receive("5", arrived("1"));
	void receiver.receive({ t: "INTERACTION_CREATE", d: "late" });
	expect(seen).toEqual(["interaction early", "interaction late"]);
});

test("cursors belong to threads if there are any, and to direct messages without a guild", async () => {
	const { receive, begin, highWater } = await place();
	begin();
	await receive("8", arrived("1", { ...room, thread: "8" }));
	await receive("9", arrived("2", { tenant: "dm", channel: "9", shared: false, kind: "direct" }));
	await receive("5", { type: "deleted", room, message: "3", at: 0 });
	expect([...highWater.cursors]).toEqual([
		["8", { message: "1", guild: "1" }],
		["9", { message: "2" }],
	]);
});

test("unhandled events are reported when the connector stops, also later ones", async () => {
	const { clock, receiver, receive, failures, begin, highWater } = await place();
	begin();
	failures.push(new Error("disk full"));
	const waiting = receive("5", arrived("1"));
	const refused = expect(waiting).rejects.toMatchObject({ code: "cancelled" });
	await settled();
	await receiver.stop();
	await refused;
	await expect(receive("5", arrived("2"))).rejects.toMatchObject({ code: "cancelled" });
	expect([clock.pending, highWater.cursors.size]).toEqual([0, 0]);
});

test("the answer to a message that an earlier process may have answered states that", async () => {
	const { receiver, receive, accepted, begin } = await place();
	begin();
	const d = { channel_id: "5", inbound: arrived("1") };
	await receiver.receive({ t: "MESSAGE_CREATE", d, seenBefore: true });
	const edited = { ...arrived("3"), type: "edited" };
	await receiver.receive({
		t: "MESSAGE_CREATE",
		d: { channel_id: "5", inbound: edited },
		seenBefore: true,
	});
	await receive("5", arrived("2"));
	expect(accepted).toEqual([
		{ ...arrived("1"), seenBefore: true },
		{ ...edited, seenBefore: true },
		arrived("2"),
	]);
});

test("after a failed start, no event is handled", async () => {
	const { receive, there } = await place();
	there.reject(new Error("no database"));
	await expect(receive("5", arrived("1"))).rejects.toThrow("no database");
});
