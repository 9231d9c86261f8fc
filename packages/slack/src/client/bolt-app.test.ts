import { MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { SlackEnvelope, SlackReply } from "../slack-port.ts";
import { self } from "../testing/scripted-slack.ts";
import { boltApp } from "./bolt-app.ts";
import { slackLogger } from "./slack-logger.ts";

function open(take: (envelope: SlackEnvelope) => Promise<SlackReply> = async () => undefined) {
	const taken: SlackEnvelope[] = [];
	const offer = boltApp({
		...{ token: "xoxb-1", account: self, client: {}, logger: slackLogger(new MemoryLogger()) },
		take: (envelope) => {
			taken.push(envelope);
			return take(envelope);
		},
	});
	return { offer, taken };
}

test.each([
	["event", { type: "event_callback", event: null }],
	["event", { type: "event_callback", event: { type: "reaction_added", item: null } }],
	["event", { type: "event_callback", event: { type: "message" } }],
	["interactive", { type: "block_actions" }],
	["interactive", { type: "block_actions", actions: [{}], name: "x" }],
	["interactive", { type: "view_submission", view: {} }],
	["interactive", { type: "message_action", callback_id: "x", name: "x", channel: null }],
	["interactive", { type: "app_rate_limited" }],
	["interactive", {}],
	["command", { command: "/parley" }],
] as const)("what bolt cannot read is taken once all the same, as %s: %j", async (type, body) => {
	const { offer, taken } = open(async () => ({ text: "so" }));
	expect(await offer(body, 2)).toEqual({ text: "so" });
	expect(taken).toEqual([{ type, body, attempt: 2 }]);
});

test("what is not taken rejects with the reason, and is offered once", async () => {
	const { offer, taken } = open(async () => {
		throw new Error("the disk is full");
	});
	const event = { type: "message", channel: "C1", user: "UADA", text: "hello", ts: "1.1" };
	await expect(offer({ type: "event_callback", team_id: "T1", event_id: "Ev1", event }, 0)).rejects.toThrow(
		"the disk is full",
	);
	await expect(offer({ type: "event_callback", event: null }, 0)).rejects.toThrow("the disk is full");
	expect(taken).toHaveLength(2);
});
