import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { HealthPresence } from "./health-presence.ts";

const shown = (status: string, ...texts: string[]) => ({
	...{ since: null, afk: false, status },
	activities: texts.map((state) => ({ name: "Custom Status", type: 4, state })),
});

function open() {
	const [clock, port] = [new ManualClock(), new ScriptedPort()];
	return { clock, port, presence: new HealthPresence(port, clock) };
}

test("the health before the connection is shown when it is ready, and the default one is not sent", () => {
	const { clock, port, presence } = open();
	presence.linked({ state: "ready", resumed: false });
	presence.linked({ state: "lost" });
	presence.show("gateway-unreachable");
	expect(port.presences).toEqual([]);
	presence.linked({ state: "ready", resumed: true });
	expect(port.presences).toEqual([shown("idle", "Not connected to the gateway")]);
	presence.linked({ state: "ready", resumed: true });
	clock.advance(5000);
	expect(port.presences).toHaveLength(1);
	// A new session starts with the presence `online`.
	presence.linked({ state: "ready", resumed: false });
	expect(port.presences).toHaveLength(2);
});

test("at most one change in five seconds is sent, and it is the newest", () => {
	const { clock, port, presence } = open();
	presence.linked({ state: "ready", resumed: false });
	presence.show("model-failing");
	presence.show("working");
	presence.show("gateway-unreachable");
	clock.advance(4999);
	expect(port.presences).toEqual([shown("dnd", "The model is not answering")]);
	presence.show("working");
	clock.advance(1);
	expect(port.presences.slice(1)).toEqual([shown("online")]);
	presence.show("model-failing");
	presence.stop();
	clock.advance(60_000);
	expect(port.presences).toHaveLength(2);
});
