import { setImmediate as tick } from "node:timers/promises";
import { ParleyError } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { openReading } from "../testing/reading.ts";
import { ok } from "../testing/scripted-slack.ts";
import type { SlackAnswer } from "../vocabulary/slack-port.ts";
import { type EventHandlers, EventReceiver } from "./event-receiver.ts";

const text = (channel: string, ts: string, user = "UADA") => ({
	event_id: `Ev${ts}`,
	event: { type: "message", channel, user, text: "hello", ts },
});
const envelope = (body: unknown, attempt = 0) => ({ type: "event", body, attempt }) as const;

async function open(more: Partial<EventHandlers> = {}) {
	const reading = await openReading();
	const accepted: string[] = [];
	const passed: string[] = [];
	const lost: unknown[] = [];
	const handlers: EventHandlers = {
		intake: reading.intake,
		outdated: reading.outdated,
		interactions: { handle: async () => ({ text: "answered" }) },
		accept: async (_, { id }) => void accepted.push(id),
		...more,
	};
	const log = new MemoryLogger();
	const receiver = new EventReceiver({
		handlers: Promise.resolve(handlers),
		log,
		passed: async (inbound) => void passed.push(inbound.type),
		lost: (body) => {
			lost.push(body);
			const { type, subtype } = Object(body).event;
			return type === "message" && subtype === undefined;
		},
	});
	return { ...reading, receiver, accepted, passed, lost, log };
}

test("a slow request for a person delays only its own conversation", async () => {
	const { receiver, port, accepted } = await open();
	const slow = Promise.withResolvers<SlackAnswer>();
	port.answer("users.info", () => slow.promise);
	const first = receiver.receive(envelope(text("D1", "1.1", "USLOW")));
	const second = receiver.receive(envelope(text("D1", "1.2")));
	await receiver.receive(envelope(text("C1", "1.3")));
	expect(accepted).toEqual(["message:C1-1.3"]);
	// The second request was sent at once, not after the first response.
	expect(port.calls.filter(({ method }) => method === "users.info")).toHaveLength(2);
	slow.resolve(ok({ user: { id: "USLOW", team_id: "T1", name: "slow" } }));
	await Promise.all([first, second]);
	expect(accepted).toEqual(["message:C1-1.3", "message:D1-1.1", "message:D1-1.2"]);
});

test("an edit and a deletion come after their message", async () => {
	const { receiver, port, accepted } = await open();
	const slow = Promise.withResolvers<SlackAnswer>();
	port.answer("users.info", () => slow.promise);
	const message = receiver.receive(envelope(text("C1", "1.1", "USLOW")));
	const event = { type: "message", subtype: "message_deleted", channel: "C1", deleted_ts: "1.1", ts: "1.9" };
	const deleted = receiver.receive(envelope({ event_id: "Ev2", event }));
	for (let turn = 0; turn < 20; turn++) await tick();
	expect(accepted).toEqual([]);
	slow.resolve(ok({ user: { id: "USLOW", team_id: "T1" } }));
	await Promise.all([message, deleted]);
	expect(accepted).toEqual(["message:C1-1.1", "deleted:C1-1.1"]);
});

test("a message that follows its deletion is ignored", async () => {
	const { intake, outdated, store } = await openReading();
	const accept: EventHandlers["accept"] = (inbound, key) => {
		const stored = { ...key, data: JSON.stringify(inbound), state: "waiting", attempts: 0 } as const;
		return store.commit((tx) =>
			tx
				.insertInto("inbound")
				.values({ ...stored, reason: null, changed_at: 0 })
				.execute(),
		);
	};
	const { receiver } = await open({ intake, outdated, accept });
	const event = { type: "message", subtype: "message_deleted", channel: "C1", deleted_ts: "1.1", ts: "1.9" };
	const deleted = receiver.receive(envelope({ event_id: "Ev2", event }));
	await Promise.all([deleted, receiver.receive(envelope(text("C1", "1.1")))]);
	const inbox = await store.read((db) => db.selectFrom("inbound").select("id").execute());
	expect(inbox).toEqual([{ id: "deleted:C1-1.1" }]);
});

test("a failed event rejects, so that it is redelivered, and later ones are handled", async () => {
	const { receiver, port, accepted, passed, log } = await open();
	port.answer("users.info", new Error("ECONNRESET"));
	const first = receiver.receive(envelope(text("D1", "1.1")));
	const second = receiver.receive(envelope(text("D1", "1.2", "UOUT")));
	await expect(first).rejects.toThrow("ECONNRESET");
	await second;
	await receiver.receive(envelope(text("D1", "1.1"), 1));
	expect(accepted).toEqual(["message:D1-1.2", "message:D1-1.1"]);
	expect(passed).toEqual(["message", "message"]);
	expect(log.records).toMatchObject([{ level: "warn", fields: { attempt: 0 } }]);
});

test("a failed message without a further redelivery is left to a later reading", async () => {
	const { receiver, port, accepted, lost, log } = await open();
	const body = text("D1", "1.3", "UGUEST");
	for (let attempt = 0; attempt < 3; attempt++) {
		port.answer("users.info", new Error("ECONNRESET"));
		await expect(receiver.receive(envelope(body, attempt))).rejects.toThrow("ECONNRESET");
	}
	expect(lost).toEqual([]);
	port.answer("users.info", new Error("ECONNRESET"));
	expect(await receiver.receive(envelope(body, 3))).toBeUndefined();
	expect([lost, accepted]).toEqual([[body], []]);
	expect(log.records.at(-1)).toMatchObject({
		message: "an event from Slack was not accepted, and is read later",
	});
	await receiver.event(body);
	expect(accepted).toEqual(["message:D1-1.3"]);
});

test("an unreadable event is handled with the known data at its last delivery, or logged as lost", async () => {
	const { receiver, port, accepted, log } = await open();
	const message = { user: "UADA", text: "hello", ts: "1.1", edited: { ts: "2.2" } };
	const event = { type: "message", subtype: "message_changed", channel: "C1", message };
	const body = { event_id: "Ev1", event };
	const limited = { type: "rate-limited", retryAfterMs: 30_000 } as const;
	port.answer("users.info", limited, limited);
	expect(await receiver.receive(envelope(body, 3))).toBeUndefined();
	expect(accepted).toEqual(["edited:C1-1.1:2.2"]);
	const item = { type: "message", channel: "C1", ts: "1.1" };
	const signed = { event_id: "Ev2", event: { type: "reaction_added", user: "UOUT", reaction: "x", item } };
	port.answer("users.info", limited, limited);
	await expect(receiver.receive(envelope(signed, 3))).rejects.toMatchObject({ code: "unavailable" });
	expect(log.records.at(-1)).toMatchObject({ level: "error", message: "an event from Slack is lost" });
});

test("a full inbox stores no event and marks none", async () => {
	const { receiver, passed } = await open({
		accept: async () => {
			throw new ParleyError("too many wait", { code: "resource_exhausted" });
		},
	});
	await expect(receiver.receive(envelope(text("D1", "1.1")))).rejects.toMatchObject({
		code: "resource_exhausted",
	});
	expect(passed).toEqual([]);
});

test("an ignored event is acknowledged, and a query is answered", async () => {
	const { receiver, accepted } = await open();
	expect(
		await receiver.receive(envelope({ event_id: "Ev1", event: { type: "team_rename" } })),
	).toBeUndefined();
	expect(await receiver.receive(envelope("nonsense"))).toBeUndefined();
	expect(await receiver.receive({ type: "command", body: {}, attempt: 0 })).toEqual({ text: "answered" });
	expect(accepted).toEqual([]);
});

test("after a stop, only durable changes are acknowledged", async () => {
	const { receiver, port, accepted } = await open();
	const slow = Promise.withResolvers<SlackAnswer>();
	port.answer("users.info", () => slow.promise);
	const received = receiver.receive(envelope(text("D1", "1.1", "USLOW")));
	const refused = expect(received).rejects.toMatchObject({ code: "cancelled" });
	const stopped = receiver.stop();
	slow.resolve(ok({ user: { id: "USLOW", team_id: "T1" } }));
	await refused;
	await stopped;
	await expect(receiver.receive(envelope(text("D1", "1.2")))).rejects.toMatchObject({ code: "cancelled" });
	expect(accepted).toEqual([]);
});

test("an event from before a loss of the database is marked, so that its answer is searched", async () => {
	const inbounds: unknown[] = [];
	const { receiver } = await open({ accept: async (inbound) => void inbounds.push(inbound) });
	await receiver.event(text("C1", "1.1"), false, true);
	await receiver.event(text("C1", "1.2"));
	expect(inbounds).toMatchObject([{ message: "C1-1.1", seenBefore: true }, { message: "C1-1.2" }]);
	expect(inbounds[1]).not.toHaveProperty("seenBefore");
});
