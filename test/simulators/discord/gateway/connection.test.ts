import { GatewayIntentBits as Intents } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { pausedSimulator } from "../rest/direct-client.ts";
import { Connection } from "./connection.ts";

function connection() {
	const parts = pausedSimulator();
	const { simulator, clock } = parts;
	const received: { op: number; t: string | null; d: unknown }[] = [];
	const ends: (number | "cut")[] = [];
	const socket = {
		send: (text: string) => void received.push(JSON.parse(text)),
		close: (code: number) => void ends.push(code),
		terminate: () => void ends.push("cut"),
	};
	const one = new Connection(simulator.gateway, socket, { clock, heartbeatMs: 1000 });
	const send = (op: number, d: unknown) => one.receive(JSON.stringify({ op, d }));
	const identify = () => send(2, { token: simulator.token, intents: Intents.Guilds, properties: {} });
	return { ...parts, received, ends, one, send, identify };
}

test("a connection receives HELLO, and its heartbeats are acknowledged", () => {
	const { received, send } = connection();
	send(1, null);
	expect(received).toMatchObject([{ op: 10, d: { heartbeat_interval: 1000 } }, { op: 11 }]);
});

test("a session starts once", async () => {
	const { received, ends, identify } = connection();
	identify();
	await Promise.resolve();
	expect(received.map(({ t }) => t)).toEqual([null, "READY", "GUILD_CREATE"]);
	identify();
	expect(ends).toEqual([4005]);
});

test.each([
	["what is no JSON", "{", 4002],
	["a payload of more than 4096 bytes", JSON.stringify({ op: 1, d: "x".repeat(4096) }), 4002],
	["an operation that there is not", JSON.stringify({ op: 99, d: null }), 4001],
	["what needs a session", JSON.stringify({ op: 3, d: {} }), 4003],
	["a wrong token", JSON.stringify({ op: 2, d: { token: "wrong", intents: 0 } }), 4004],
])("%s ends the connection", (_, text, code) => {
	const { ends, one } = connection();
	one.receive(text);
	expect(ends).toEqual([code]);
});

test("more than 120 sends in a minute end the connection", () => {
	const { ends, send } = connection();
	for (let count = 0; count < 120; count++) send(1, 0);
	expect(ends).toEqual([]);
	send(1, 0);
	expect(ends).toEqual([4008]);
});

test("a client without heartbeats times out", () => {
	const { clock, ends, send } = connection();
	clock.advance(1999);
	send(1, null);
	clock.advance(1999);
	expect(ends).toEqual([]);
	clock.advance(1);
	expect(ends).toEqual([4009]);
});

test("an ended session is not resumed", () => {
	const { simulator, received, send } = connection();
	send(6, { token: simulator.token, session_id: "other", seq: 1 });
	expect(received.at(-1)).toMatchObject({ op: 9, d: false });
});

test("a connection that only looks alive gets no heartbeat acknowledgements", () => {
	const { simulator, received, send } = connection();
	simulator.gateway.zombie = true;
	send(1, null);
	expect(received.map(({ op }) => op)).toEqual([10]);
});
