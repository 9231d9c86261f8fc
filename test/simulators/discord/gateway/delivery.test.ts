import { ManualClock } from "@parley/base/testing";
import { GatewayDispatchEvents } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { Delivery, type Disorder } from "./delivery.ts";
import type { Dispatch, Session } from "./session.ts";

function delivery(disorder: Disorder) {
	const clock = new ManualClock();
	const heard: number[] = [];
	const sink = {
		send: ({ s }: { readonly s: number | null }) => void heard.push(s ?? 0),
		cut: () => {},
		close: () => {},
	};
	const session: Session = { id: "s", intents: 0, seq: 0, log: [], sink, lostAt: 0 };
	const carrier = new Delivery(clock, () => 0);
	carrier.disorder = disorder;
	const carry = async (s: number, room: string): Promise<void> => {
		const t = GatewayDispatchEvents.MessageCreate;
		const dispatch: Dispatch = { op: 0, t, s, d: { channel_id: room } };
		carrier.carry(session, dispatch);
		await Promise.resolve();
	};
	return { clock, heard, carry, session, carrier };
}

test("events come in order and once", async () => {
	const { heard, carry } = delivery({});
	for (const s of [1, 2, 3]) await carry(s, "a");
	expect(heard).toEqual([1, 2, 3]);
});

test("an event can come twice", async () => {
	const { heard, carry } = delivery({ duplicate: 1 });
	await carry(1, "a");
	expect(heard).toEqual([1, 1]);
});

test("an event is overtaken by one of another channel, never by one of its own", async () => {
	const other = delivery({ reorder: 1 });
	await other.carry(1, "a");
	await other.carry(2, "b");
	expect(other.heard).toEqual([2, 1]);
	const own = delivery({ reorder: 1 });
	await own.carry(1, "a");
	await own.carry(2, "a");
	expect(own.heard).toEqual([1, 2]);
});

test("an event that nothing overtakes comes after a moment", async () => {
	const { clock, heard, carry } = delivery({ reorder: 1 });
	await carry(1, "a");
	expect(heard).toEqual([]);
	clock.advance(100);
	await Promise.resolve();
	expect(heard).toEqual([1]);
});

test("what was held back for a connection that is gone is left to the replay", async () => {
	const { clock, heard, carry, session, carrier } = delivery({ reorder: 1 });
	await carry(1, "a");
	carrier.forget(session);
	clock.advance(100);
	await Promise.resolve();
	expect([heard, clock.pending]).toEqual([[], 0]);
});
