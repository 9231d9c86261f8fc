import { once } from "node:events";
import { ManualClock } from "@parley/base/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"ozzie",
	["connection.many"],
	"many clients send messages at the same time, each in its own session",
	async () => {
		await using gateway = await TestGateway.start();
		const clients = await Promise.all(Array.from({ length: 20 }, () => OzzieClient.connect(gateway.url)));
		const results = await Promise.all(
			clients.map(async (client, n) => {
				await client.open();
				await client.call("send_message", { content: `say: I am ${n}` });
				return (await client.event("assistant.message")).payload["content"];
			}),
		);
		expect(results).toEqual(clients.map((_, n) => `[offline] I am ${n}`));
		await Promise.all(clients.map((client) => client.leave()));
	},
);

verifiesOn(
	"ozzie",
	["connection.shared"],
	"two clients of a session see the same messages of both",
	async () => {
		await using gateway = await TestGateway.start();
		await using one = await OzzieClient.connect(gateway.url);
		await using two = await OzzieClient.connect(gateway.url);
		const session = await one.open();
		await two.open({ session_id: session });
		await Promise.all([one.arrived(), two.arrived()]);
		for (const author of [one, two]) {
			await author.call("send_message", { content: "say: hello you" });
			const seen = [];
			for (const client of [one, two]) {
				const events = [await client.event()];
				while (events.at(-1)?.event !== "assistant.message") events.push(await client.event());
				seen.push(events);
			}
			expect(seen[1]).toEqual(seen[0]);
			expect(seen[0]?.[0]).toMatchObject({ event: "user.message", payload: { content: "say: hello you" } });
		}
	},
);

verifiesOn(
	"ozzie",
	["connection.alive"],
	"a client that answers pings stays connected, another one is disconnected",
	async () => {
		const clock = new ManualClock();
		await using gateway = await TestGateway.start({ clock });
		await using silent = await OzzieClient.connect(gateway.url);
		await using deaf = await OzzieClient.connect(gateway.url, { autoPong: false });
		for (let minute = 0; minute < 2; minute++) {
			const pinged = once(silent.socket, "ping");
			clock.advance(20_000);
			await pinged;
			// Gives the gateway time to process the pong.
			for (let turn = 0; turn < 3; turn++) await fetch(`${gateway.url}/api/health`);
		}
		await expect(deaf.closed).resolves.toMatchObject({ code: 1006 });
		await silent.call("list_sessions");
	},
);

verifiesOn(
	"ozzie",
	["connection.binary"],
	"binary messages with JSON are read, and other binary messages close the connection",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		client.send(Buffer.from(JSON.stringify({ type: "req", id: "é", method: "list_sessions" })));
		await expect(client.next()).resolves.toMatchObject({ type: "res", id: "é", ok: true });
		client.send(Buffer.from("[]"));
		await expect(client.next()).resolves.toMatchObject({ type: "res", ok: false });
		const notJson = [
			Buffer.from([0xff, 0xfe]),
			Buffer.from('{"type":"req"'),
			Buffer.alloc(0),
			Buffer.from([0xc3]),
		];
		for (const bytes of notJson) {
			await using bad = await OzzieClient.connect(gateway.url);
			bad.send(bytes);
			await expect(bad.closed).resolves.toMatchObject({ code: 1003 });
		}
		await client.call("list_sessions");
	},
);

verifiesOn("ozzie", ["connection.goodbye"], "a gateway that stops closes with a reason", async () => {
	await using gateway = await TestGateway.start();
	const clients = await Promise.all([1, 2, 3].map(() => OzzieClient.connect(gateway.url)));
	await clients[0]?.open();
	await clients[1]?.call("send_message", { content: "run: true" });
	await gateway.stop();
	for (const client of clients) await expect(client.closed).resolves.toMatchObject({ code: 1001 });
});

verifiesOn(
	"ozzie",
	["connection.draining"],
	"a stopping gateway completes its work and refuses more",
	async () => {
		const clock = new ManualClock();
		await using gateway = await TestGateway.start({ clock });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", { content: "long: 2 tokens at 1 per second" });
		await client.event("assistant.stream", { content: "t1" });
		const stopped = gateway.stop(30_000);
		while ((await fetch(`${gateway.url}/api/health`)).status !== 503) await client.call("list_sessions");
		expect(await client.refusal("send_message", { content: "say: more" })).toMatch(/^draining\b/);
		expect(await client.refusal("open_session")).toMatch(/^draining\b/);
		clock.advance(1_000);
		await client.event("assistant.message", { content: "[offline] t1 t2", error: "" });
		await stopped;
		await expect(client.closed).resolves.toMatchObject({ code: 1001 });
	},
);

verifiesOn(
	"ozzie",
	["connection.rate"],
	"a burst of 100 passes, then 50 a second, for each session alone",
	async () => {
		const clock = new ManualClock();
		await using gateway = await TestGateway.start({ clock });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const ask = async (count: number): Promise<(string | true)[]> => {
			const answers = await Promise.all(Array.from({ length: count }, () => client.request("load_messages")));
			return answers.map((answer) => answer.ok || answer.error);
		};
		const burst = await ask(102);
		expect(burst.slice(0, 100).every((answer) => answer === true)).toBe(true);
		expect(burst.slice(100)).toEqual(["rate limited", "rate limited"]);
		clock.advance(1_000);
		expect((await ask(60)).filter((answer) => answer === true)).toHaveLength(50);
		await using other = await OzzieClient.connect(gateway.url);
		await other.open();
		await other.call("list_sessions");
	},
);
