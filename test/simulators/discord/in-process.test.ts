import type { DiscordDispatch } from "@parley/discord";
import { GatewayIntentBits as Intents } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { InProcessPort, type SessionStore } from "./in-process.ts";
import { pausedSimulator } from "./rest/direct-client.ts";

const intents = Intents.Guilds | Intents.GuildMessages | Intents.MessageContent;

async function connected(sessions: SessionStore = {}) {
	const parts = pausedSimulator();
	const port = new InProcessPort(parts.simulator, { intents, sessions });
	const received: DiscordDispatch[] = [];
	const states: string[] = [];
	await port.connect({
		dispatch: (event) => void received.push(event),
		link: ({ state }) => void states.push(state),
	});
	return { ...parts, port, received, states, sessions };
}

test("an event is never delivered inside the call that caused it", async () => {
	const { anna, general, received } = await connected();
	const before = received.length;
	anna.says("Hello", { in: general });
	expect(received).toHaveLength(before);
	await Promise.resolve();
	expect(received).toHaveLength(before + 1);
});

test("a killed process has received exactly the events that it recorded", async () => {
	const { simulator, anna, general, port, received, sessions } = await connected();
	await Promise.resolve();
	port.kill();
	const { length } = received;
	anna.says("Lost?", { in: general });
	await Promise.resolve();
	expect(received).toHaveLength(length);
	const next = new InProcessPort(simulator, { intents, sessions });
	const again: string[] = [];
	await next.connect({ dispatch: ({ t }) => void again.push(t), link: () => {} });
	expect(again).toEqual(["MESSAGE_CREATE", "RESUMED"]);
});

test("another process continues before the first unacknowledged event, the same one after the newest", async () => {
	const parts = pausedSimulator();
	const { simulator, clock, anna, general } = parts;
	const sessions: SessionStore = {};
	const events: string[] = [];
	const unreceived = Promise.withResolvers<void>();
	const listen = async (port: InProcessPort) =>
		port.connect({
			dispatch: ({ t, d }) => {
				if (t !== "MESSAGE_CREATE") return;
				events.push(Object(d).content);
				return Object(d).content === "two" ? unreceived.promise : Promise.resolve();
			},
			link: () => {},
		});
	const port = new InProcessPort(simulator, { intents, sessions });
	await listen(port);
	for (const text of ["one", "two", "three"]) anna.says(text, { in: general });
	for (let turn = 0; turn < 3; turn++) await Promise.resolve();
	simulator.gateway.drop();
	clock.advance(500);
	for (let turn = 0; turn < 3; turn++) await Promise.resolve();
	expect(events).toEqual(["one", "two", "three"]);
	port.kill();
	// The killed port must ignore this late acknowledgement.
	unreceived.resolve();
	await unreceived.promise;
	await listen(new InProcessPort(simulator, { intents, sessions }));
	expect(events.slice(3)).toEqual(["two", "three"]);
});

test("a lost connection returns after half a second, a new session after one to five seconds", async () => {
	const { clock, simulator, states } = await connected();
	simulator.gateway.drop();
	clock.advance(499);
	await Promise.resolve();
	expect(states).toEqual(["ready", "lost"]);
	clock.advance(1);
	for (let turn = 0; turn < 3; turn++) await Promise.resolve();
	expect(states).toEqual(["ready", "lost", "ready"]);
	simulator.gateway.invalidate();
	clock.advance(999);
	await Promise.resolve();
	expect(states).toHaveLength(4);
	clock.advance(4001);
	for (let turn = 0; turn < 3; turn++) await Promise.resolve();
	expect(states.at(-1)).toBe("ready");
});

test("after its end, a port sends no request and has no timer", async () => {
	const { clock, simulator, port } = await connected();
	simulator.gateway.drop();
	await port.close();
	expect(clock.pending).toBe(0);
	await expect(port.request({ method: "GET", path: "/users/@me" })).rejects.toMatchObject({
		code: "unavailable",
	});
});

test("files are read only from Discord", async () => {
	const { port } = await connected();
	const { signal } = new AbortController();
	const foreign = port.download("https://example.com/attachments/1/2/a?ex=1", 10, signal);
	await expect(foreign).rejects.toMatchObject({ code: "permission_denied" });
});
