import { expect, test } from "vitest";
import { pausedSimulator } from "../rest/direct-client.ts";
import { Connection } from "./connection.ts";

function connected() {
	const { simulator, clock } = pausedSimulator();
	const closed: number[] = [];
	const end = (code: number): void => {
		closed.push(code);
		connection.closed(code);
	};
	const socket = { send: () => undefined, close: end, terminate: () => end(1006) };
	const connection = new Connection(simulator.gateway, socket, { clock, heartbeatMs: 41_250 });
	const send = (op: number, d: object): void => connection.receive(JSON.stringify({ op, d }));
	const identify = (more: object = {}): void => send(2, { token: simulator.token, intents: 1, ...more });
	return { simulator, clock, closed, send, identify };
}

const presence = (state: string, status = "idle") => ({
	...{ since: null, afk: false, status },
	activities: [{ name: "Custom Status", type: 4, state }],
});

test("an app shows its health as a presence", () => {
	const { simulator, closed, send, identify } = connected();
	expect(simulator.presence).toEqual({ status: "offline", activities: [] });
	identify();
	expect(simulator.presence).toEqual({ status: "online", activities: [] });
	send(3, presence("The model is overloaded", "dnd"));
	expect(simulator.presence).toEqual({ status: "dnd", activities: ["The model is overloaded"] });
	send(3, { ...presence("x"), activities: [{ name: "builds", type: 3 }] });
	expect(simulator.presence.activities).toEqual(["builds"]);
	simulator.gateway.close(4000);
	expect([simulator.presence.status, closed]).toEqual(["offline", [4000]]);
});

test("a presence is sent with the first message of a session", () => {
	const { simulator, identify } = connected();
	identify({ presence: presence("Ready", "online") });
	expect(simulator.presence).toEqual({ status: "online", activities: ["Ready"] });
});

test("a sixth presence within 20 seconds is not shown", () => {
	const { simulator, clock, send, identify } = connected();
	identify();
	for (const index of Array(6).keys()) send(3, presence(String(index)));
	expect(simulator.presence.activities).toEqual(["4"]);
	clock.advance(20_000);
	send(3, presence("6"));
	expect(simulator.presence.activities).toEqual(["6"]);
});

test.each([
	["an unknown status", presence("x", "busy")],
	["an activity without a name", { ...presence("x"), activities: [{ type: 0 }] }],
	["no activities", { since: null, afk: false, status: "idle" }],
])("a presence with %s ends the connection", (_, payload) => {
	const { closed, send, identify } = connected();
	identify();
	send(3, payload);
	expect(closed).toEqual([4002]);
});

test("a presence before the session ends the connection", () => {
	const { closed, send } = connected();
	send(3, presence("x"));
	expect(closed).toEqual([4003]);
});
