import { ManualClock } from "@parley/base/testing";
import { GatewayDispatchEvents } from "discord-api-types/v10";
import { expect, test } from "vitest";
import type { SimulatorEvent } from "../platform/state.ts";
import { Delivery, type Disorder } from "./delivery.ts";

const { MessageCreate, MessageUpdate, InteractionCreate } = GatewayDispatchEvents;

function delivery(disorder: Disorder) {
	const clock = new ManualClock();
	const delivered: string[] = [];
	const carrier = new Delivery({
		...{ clock, chance: () => 0 },
		// The cast is safe because `happens` gives each event an id.
		deliver: ({ d }) => void delivered.push((d as { readonly id: string }).id),
	});
	carrier.disorder = disorder;
	const happens = (id: string, channel_id: string, t: SimulatorEvent["t"] = MessageCreate): void =>
		carrier.carry({ t, d: { id, channel_id }, intents: 0 });
	return { clock, delivered, happens };
}

test("events arrive in order and once", () => {
	const { delivered, happens } = delivery({});
	for (const id of ["1", "2", "3"]) happens(id, "a");
	expect(delivered).toEqual(["1", "2", "3"]);
});

test("an event can arrive twice", () => {
	const { delivered, happens } = delivery({ duplicate: 1 });
	happens("1", "a");
	expect(delivered).toEqual(["1", "1"]);
});

test("an event is overtaken by one of another channel or kind, never by one of its own", () => {
	const channel = delivery({ reorder: 1 });
	channel.happens("1", "a");
	channel.happens("2", "b");
	expect(channel.delivered).toEqual(["2", "1"]);
	const kind = delivery({ reorder: 1 });
	kind.happens("1", "a");
	kind.happens("2", "a", InteractionCreate);
	expect(kind.delivered).toEqual(["2", "1"]);
	const own = delivery({ reorder: 1 });
	own.happens("1", "a");
	own.happens("2", "a");
	expect(own.delivered).toEqual(["1", "2"]);
});

test("events of one message keep their order", () => {
	const { delivered, happens } = delivery({ reorder: 1 });
	happens("1", "a");
	happens("1", "a", MessageUpdate);
	happens("2", "b");
	expect(delivered).toEqual(["1", "1"]);
});

test("an event that is not overtaken arrives after a moment", () => {
	const { clock, delivered, happens } = delivery({ reorder: 1 });
	happens("1", "a");
	expect(delivered).toEqual([]);
	clock.advance(100);
	expect(delivered).toEqual(["1"]);
});
