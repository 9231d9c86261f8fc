import { connect } from "node:net";
import { ManualClock } from "@parley/base/testing";
import type { SlackTransport } from "@parley/slack";
import { expect, test } from "vitest";
import { signed } from "../../simulators/slack/events/http.ts";
import { openSlack } from "./open-slack.ts";
import type { ClientOptions, WatchedClient } from "./watched-client.ts";

type OpenSlack = Awaited<ReturnType<typeof openSlack>>;

async function listening(slack: OpenSlack, options: Partial<ClientOptions> = {}) {
	const transport: SlackTransport = {
		...{ type: "http", signingSecret: slack.simulator.signingSecret },
		listen: { host: "127.0.0.1", port: 0 },
	};
	const one = await slack.client({ transport, ...options }).connect();
	const url = `http://127.0.0.1:${portOf(one)}/slack/events`;
	return { one, url, events: slack.server.sendsTo(url) };
}

function portOf({ log }: WatchedClient): number {
	return Number(log.records.find(({ message }) => message.startsWith("listening for"))?.fields["port"]);
}

test("the address is verified, and events, commands and presses arrive signed", async () => {
	const slack = await openSlack();
	const { simulator, general, ada, says, watch } = slack;
	const reply = { text: "Done" };
	const { one, events } = await listening(slack, {
		receive: async ({ type }) => (type === "command" ? reply : undefined),
	});
	expect(one.states).toEqual(["ready"]);
	expect(await events.verify()).toBe(true);
	says("Hello");
	await one.receives("Hello");
	const interaction = ada.commands("/parley help", {}, { in: general });
	await watch.until("it is answered", () => interaction.answers().length === 1);
	expect(interaction.answers()).toMatchObject([{ text: "Done", ephemeral: true }]);
	const button = { type: "button", text: { type: "plain_text", text: "Yes" }, action_id: "yes" };
	const blocks = [{ type: "actions", elements: [button] }];
	const post = { channel: general.record.id, text: "Sure?", blocks };
	await one.port.call({ method: "chat.postMessage", args: post });
	const pressed = ada.clicks("Yes", { in: general });
	await watch.until("it is acknowledged", () => pressed.record.state === "acknowledged");
	const types = one.envelopes.map(({ type, body }) => `${type} ${Object(body).type ?? Object(body).command}`);
	expect(types).toEqual([
		"event event_callback",
		"command /parley",
		"event event_callback",
		"action block_actions",
	]);
	expect(simulator.delivery.pending).toBe(0);
});

test("an event that was not stored is answered with 503, and is repeated with its number", async () => {
	let tries = 0;
	const slack = await openSlack();
	const { clock, says, watch, simulator } = slack;
	const { one, events } = await listening(slack, {
		receive: async () => {
			tries += 1;
			if (tries < 3) throw new Error("the disk is full");
			return undefined;
		},
	});
	says("again");
	await watch.until("it was refused", () => events.statuses.length === 1);
	await watch.until("it is known", () => simulator.delivery.pending === 1);
	clock.advance(0);
	await watch.until("it was refused again", () => events.statuses.length === 2);
	clock.advance(60_000);
	await watch.until("it is acknowledged", () => events.statuses.length === 3);
	expect(events.statuses).toEqual([503, 503, 200]);
	expect(one.envelopes.map(({ attempt }) => attempt)).toEqual([0, 1, 2]);
});

test("requests that are forged, too old, from the future, or replayed are refused", async () => {
	const slack = await openSlack();
	const { simulator, clock, says, watch } = slack;
	const { one, url, events } = await listening(slack);
	const text = JSON.stringify({ type: "event_callback", event: { type: "message", text: "forged" } });
	const { signingSecret } = simulator;
	const at = (ms: number): ManualClock => new ManualClock(clock.now() + ms);
	const status = async (headers: Record<string, string>, body = text): Promise<number> => {
		const json = { "content-type": "application/json" };
		return (await fetch(url, { method: "POST", body, headers: { ...json, ...headers } })).status;
	};
	expect(await status({})).toBe(401);
	expect(await status(signed(text, { signingSecret: "another", clock }))).toBe(401);
	expect(await status(signed(text, { signingSecret, clock }), `${text} `)).toBe(401);
	for (const ms of [-301_000, 301_000])
		expect(await status(signed(text, { signingSecret, clock: at(ms) }))).toBe(401);
	expect(one.envelopes).toEqual([]);
	const genuine = signed(text, { signingSecret, clock: at(299_000) });
	expect([await status(genuine), await status(genuine)]).toEqual([200, 200]);
	expect(one.envelopes).toHaveLength(1);
	says("Hello");
	await watch.until("Slack's own request is acknowledged", () => events.statuses.includes(200));
	await one.receives("Hello");
});

test("closing answers requests in progress, and does not wait for endless ones", async () => {
	const open = Promise.withResolvers<undefined>();
	const slack = await openSlack();
	const { clock, says, watch, simulator } = slack;
	const { one, url, events } = await listening(slack, { receive: () => open.promise });
	const socket = connect(Number(new URL(url).port), "127.0.0.1");
	const closed = new Promise((resolve) => socket.once("close", resolve));
	socket.on("error", () => undefined);
	const headers = {
		host: "slack",
		"content-length": "9",
		...signed("{}", { signingSecret: simulator.signingSecret, clock }),
	};
	const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
	await new Promise((resolve) =>
		socket.write(`POST /slack/events HTTP/1.1\r\n${head.join("")}\r\n{`, resolve),
	);
	says("Hello");
	await one.receives("Hello");
	const closing = one.port.close();
	open.resolve(undefined);
	await watch.until("it is answered", () => events.statuses.length === 1);
	expect([events.statuses, simulator.delivery.pending]).toEqual([[200], 0]);
	clock.advance(3000);
	await Promise.all([closing, closed]);
	await expect(fetch(url)).rejects.toThrow();
});

test("a port in use is reported with its number", async () => {
	const slack = await openSlack();
	const { url } = await listening(slack);
	const listen = { host: "127.0.0.1", port: Number(new URL(url).port) };
	const other = slack.client({ transport: { type: "http", signingSecret: "secret", listen } });
	await expect(other.connect()).rejects.toMatchObject({ code: "failed_precondition" });
});
