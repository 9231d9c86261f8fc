import { setImmediate as tick } from "node:timers/promises";
import { MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { self } from "../testing/scripted-slack.ts";
import type { SlackEnvelope, SlackReply } from "../vocabulary/slack-port.ts";
import { boltApp, SlackReceiver } from "./bolt-app.ts";
import { slackLogger } from "./slack-logger.ts";
import type { Deliver } from "./transport/transport.ts";

function open(receive: (envelope: SlackEnvelope) => Promise<SlackReply> = async () => undefined) {
	const received: SlackEnvelope[] = [];
	const log = new MemoryLogger();
	const acknowledge = (envelope: SlackEnvelope): Promise<SlackReply> => {
		received.push(envelope);
		return receive(envelope);
	};
	const offered = Promise.withResolvers<Deliver>();
	const receiver = new SlackReceiver({
		log,
		transport: (deliver) => {
			offered.resolve(deliver);
			return { start: async () => undefined, close: async () => undefined, posted: () => undefined };
		},
		unread: (body, attempt) => acknowledge({ type: "event" in body ? "event" : "unread", body, attempt }),
	});
	const removals: object[] = [];
	const app = boltApp({
		account: self,
		receiver,
		logger: slackLogger(log),
		receive: acknowledge,
		uninstalled: (body) => void removals.push(body),
	});
	const offer: Deliver = async (...given) => (await offered.promise)(...given);
	return { offer, received, removals, app };
}

test.each([
	["event", { type: "event_callback", event: null }],
	["event", { type: "event_callback", event: { type: "reaction_added", item: null } }],
	["event", { type: "event_callback", event: { type: "message" } }],
	["unread", { type: "block_actions" }],
	["unread", { type: "block_actions", actions: [{}], name: "x" }],
	["unread", { type: "view_submission", view: {} }],
	["unread", { type: "message_action", callback_id: "x", name: "x", channel: null }],
	["unread", { type: "app_rate_limited" }],
	["unread", {}],
	["command", { command: "/parley" }],
] as const)("a payload that bolt cannot read is still delivered once, as %s: %j", async (type, body) => {
	const { offer, received } = open(async () => ({ text: "so" }));
	expect(await offer(body, 2)).toEqual({ text: "so" });
	expect(received).toEqual([{ type, body, attempt: 2 }]);
});

test("a failed delivery rejects with the reason, and is not repeated", async () => {
	const { offer, received } = open(async () => {
		throw new Error("the disk is full");
	});
	const event = { type: "message", channel: "C1", user: "UADA", text: "hello", ts: "1.1" };
	await expect(offer({ type: "event_callback", team_id: "T1", event_id: "Ev1", event }, 0)).rejects.toThrow(
		"the disk is full",
	);
	await expect(offer({ type: "event_callback", event: null }, 0)).rejects.toThrow("the disk is full");
	expect(received).toHaveLength(2);
});

const of = { team: { id: "T1" }, user: { id: "UADA" }, trigger_id: "1.2.x" };

test.each([
	["event", { type: "event_callback", event: { type: "message", channel: "C1", text: "hello", ts: "1.1" } }],
	["event", { type: "event_callback", event: { type: "team_rename" } }],
	["command", { command: "/parley", text: "", user_id: "UADA", channel_id: "C1" }],
	["action", { ...of, type: "block_actions", channel: { id: "C1" }, actions: [{ action_id: "x" }] }],
	["view", { ...of, type: "view_submission", view: { callback_id: "form" } }],
	["shortcut", { ...of, type: "message_action", callback_id: "x", channel: { id: "C1" } }],
	["unread", { ...of, type: "view_closed", view: { callback_id: "form" } }],
	["unread", { ...of, type: "shortcut", callback_id: "x" }],
] as const)("bolt has a listener for each kind of payload that is used: %s %j", async (type, body) => {
	const { offer, received } = open();
	await offer(body, 0);
	expect(received).toEqual([{ type, body, attempt: 0 }]);
});

test("an event about the installation of the app has its own listener", async () => {
	const { offer, received, removals } = open();
	const bodies = [
		{ type: "event_callback", event: { type: "app_uninstalled" } },
		{ type: "event_callback", event: { type: "tokens_revoked", tokens: { bot: ["UBOT"] } } },
	];
	for (const body of bodies) expect(await offer(body, 0)).toBeUndefined();
	expect([removals, received]).toEqual([bodies, []]);
});

test("an event is acknowledged when it is handled, although bolt itself acknowledges it earlier", async () => {
	const durable = Promise.withResolvers<undefined>();
	const { offer, received } = open(() => durable.promise);
	let isAcknowledged = false;
	const offered = offer({ type: "event_callback", event: { type: "message" } }, 0).then(() => {
		isAcknowledged = true;
	});
	while (received.length === 0) await tick();
	await tick();
	expect(isAcknowledged).toBe(false);
	durable.resolve(undefined);
	await offered;
	expect(isAcknowledged).toBe(true);
});

test("bolt has no token, so its functions for listeners cannot post", async () => {
	const { offer, app } = open();
	const tokens: unknown[] = [app.client.token];
	app.use(async ({ client, context, next }) => {
		tokens.push(client.token, context.botToken, context.userToken);
		await next();
	});
	await offer({ type: "event_callback", event: { type: "message", channel: "C1", ts: "1.1" } }, 0);
	expect(tokens).toEqual([undefined, undefined, undefined, undefined]);
});
