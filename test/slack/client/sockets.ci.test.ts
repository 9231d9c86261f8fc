import type { SlackEnvelope } from "@parley/slack";
import { expect, test } from "vitest";
import { known, openSlack } from "./open-slack.ts";

/** Waits for one turn of the event loop, in which the clients handle received data. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function describeEnvelope({ body, attempt }: SlackEnvelope): string {
	return `${Object(body).event.type} ${attempt}`;
}

test("there are two sockets, and each message arrives once, over either of them", async () => {
	const { simulator, client, says, opens } = await openSlack();
	const one = await client().connect();
	const [first, second] = await opens(2);
	const texts = Array.from({ length: 12 }, (_, n) => `text ${n}`);
	for (const text of texts) says(text);
	await one.receives(...texts);
	expect(one.received.toSorted()).toEqual(texts.toSorted());
	expect([first?.count.sent, second?.count.sent].every((count) => (count ?? 0) > 0)).toBe(true);
	const { team, app } = simulator.state;
	expect(one.links).toMatchObject([{ state: "ready", account: { team: team.id, user: app.user.id } }]);
});

test.each(["refresh_requested", "warning"] as const)(
	"%s: the new socket is open before the old one closes, and events are neither lost nor doubled",
	async (reason) => {
		const { simulator, sockets, client, says, opens, watch } = await openSlack();
		const one = await client().connect();
		const before = await opens(2);
		for (const [n, socket] of before.entries()) {
			const requested = Promise.withResolvers<void>();
			simulator.network.next("apps.connections.open", { until: requested.promise });
			socket.disconnects(reason);
			await watch.until("another one is asked for", () => simulator.network.pending === 0);
			says(`before ${n}`);
			await known([socket]);
			requested.resolve();
			await watch.until("it is replaced", () => !sockets.open.includes(socket));
			says(`after ${n}`);
		}
		await one.receives("before 0", "after 0", "before 1", "after 1");
		await watch.until("all is acknowledged", () => simulator.delivery.pending === 0);
		expect(one.received).toHaveLength(4);
		expect(sockets.open.some((socket) => before.includes(socket))).toBe(false);
		expect([sockets.opened, sockets.range]).toEqual([4, { maximum: 3, fewest: 2 }]);
		expect(one.states).toEqual(["ready"]);
	},
);

test("events of an old socket are acknowledged over it before it closes", async () => {
	const open = Promise.withResolvers<undefined>();
	const { simulator, sockets, client, ada, general, opens, watch } = await openSlack();
	const one = await client({ receive: () => open.promise }).connect();
	await opens(2);
	const interaction = ada.commands("/parley help", {}, { in: general });
	await watch.until("it came", () => one.envelopes.length === 1);
	const old = sockets.open.find(({ count }) => count.sent === 1);
	old?.disconnects("refresh_requested");
	await watch.until("there is a new one", () => sockets.opened === 3 && sockets.open.length === 3);
	open.resolve(undefined);
	await watch.until("the old one is gone", () => old !== undefined && !sockets.open.includes(old));
	expect([interaction.record.state, simulator.delivery.pending]).toEqual(["acknowledged", 0]);
});

test("after one socket is cut, the other one continues and a second one is opened", async () => {
	const { client, sockets, says, opens, replaced } = await openSlack();
	const one = await client().connect();
	const [first] = await opens(2);
	first?.cut();
	says("meanwhile");
	await replaced(3);
	says("after");
	await one.receives("after");
	expect(sockets.range.fewest).toBe(1);
	expect(one.states).toEqual(["ready"]);
});

test("after both are cut, this is reported, both are opened again, and missed events arrive", async () => {
	const { clock, simulator, client, says, opens, replaced } = await openSlack();
	const one = await client().connect();
	await opens(2);
	simulator.delivery.drop();
	says("meanwhile");
	await one.reaches("ready", 2);
	await replaced(4);
	expect(one.states).toEqual(["ready", "lost", "ready"]);
	clock.advance(60_000);
	await one.receives("meanwhile");
	expect(one.received).toEqual(["meanwhile"]);
});

test("a socket that is cut repeatedly is requested with growing pauses", async () => {
	const { clock, client, sockets, opens, replaced, watch } = await openSlack();
	await client().connect();
	const [first, second] = await opens(2);
	first?.cut();
	const [, third] = await replaced(3);
	third?.cut();
	await watch.until("it is gone", () => sockets.open.length === 1);
	const from = clock.monotonic();
	while (sockets.opened === 3) {
		clock.advance(1);
		await turn();
	}
	expect(clock.monotonic() - from).toBeGreaterThanOrEqual(1000);
	expect(await opens(2)).toContain(second);
});

const crashing: readonly (string | Buffer)[] = [
	...["null", "", "{", "[]", "7", '"text"', "{}", '{"type":"events_api"}', '{"type":"hello"}'],
	...['{"type":"events_api","envelope_id":"e","payload":null}', '{"type":"disconnect","reason":7}'],
	'{"type":"events_api","envelope_id":"e","payload":{"event":{"__proto__":{"a":1}}}}',
	'{"type":"events_api","envelope_id":"e","payload":{"event":{"type":"mess',
	...[Buffer.from([0, 1, 2]), Buffer.from('{"type":"hello"}'), "[".repeat(50_000)],
	`{"type":"events_api","text":"${"x".repeat(2 * 1024 * 1024)}"}`,
];

test("frames that would end Slack's own client have no effect, and both sockets continue", async () => {
	const { simulator, client, sockets, says, opens, watch } = await openSlack();
	const one = await client().connect();
	const [first, second] = await opens(2);
	for (const [n, frame] of crashing.entries()) {
		first?.sends(frame);
		says(`text ${n}`);
	}
	await one.receives(...crashing.map((_, n) => `text ${n}`));
	await watch.until("all is acknowledged", () => simulator.delivery.pending === 0);
	expect(one.received).toHaveLength(crashing.length);
	expect([sockets.open, sockets.opened]).toEqual([[first, second], 2]);
	expect(first?.count.acknowledged).toBeGreaterThan(0);
	expect(one.warnings).toContain("Slack sent an undocumented frame");
});

test("envelopes of two megabytes and with thousands of parts are accepted", async () => {
	const { client, general, ada, opens, watch } = await openSlack();
	const one = await client().connect();
	const [first] = await opens(2);
	const cell = { type: "rich_text", elements: [{ type: "rich_text_section", elements: [{ type: "text" }] }] };
	const rows = Array.from({ length: 100 }, () => Array.from({ length: 20 }, () => cell));
	const message = { text: "x".repeat(1_000_000), blocks: [{ type: "table", rows }] };
	const event = { type: "message", subtype: "message_changed", message, previous_message: message };
	const received = first?.receive({
		type: "event",
		body: { event, channel: general.id, user: ada.id },
		attempt: 0,
	});
	await expect(received).resolves.toBeUndefined();
	await watch.until("it came", () => one.envelopes.length === 1);
});

async function chatter(says: (text: string) => unknown, enough: () => boolean) {
	for (let n = 0; n < 200 && !enough(); n++) {
		says(`text ${n}`);
		await turn();
	}
}

test("a deaf socket is replaced after many events over the other one, and its events are repeated", async () => {
	const { clock, client, sockets, says, opens, watch } = await openSlack();
	const one = await client().connect();
	const [deaf] = await opens(2);
	deaf?.stopsReceiving();
	const isClosed = (): boolean => deaf !== undefined && !sockets.open.includes(deaf);
	await chatter(says, isClosed);
	await watch.until("it is gone", isClosed);
	const receivedCount = one.received.length;
	clock.advance(3000);
	await watch.until("what was lost came again", () => one.envelopes.some(({ attempt }) => attempt === 1));
	expect(one.received.length).toBeGreaterThan(receivedCount);
	expect([sockets.range.fewest, one.states]).toEqual([2, ["ready"]]);
});

test("two silent sockets are replaced if the event of Parley's own post does not arrive", async () => {
	const { clock, client, sockets, general, opens, replaced, watch } = await openSlack();
	const one = await client().connect();
	const deaf = await opens(2);
	for (const socket of deaf) socket.stopsReceiving();
	await one.port.call({ method: "chat.postMessage", args: { channel: general.id, text: "Hello" } });
	clock.advance(30_000);
	await watch.until("both are gone", () => deaf.every((socket) => !sockets.open.includes(socket)));
	await replaced(4);
	clock.advance(60_000);
	await one.receives("Hello");
	expect([sockets.range.fewest, one.states]).toEqual([2, ["ready"]]);
	expect([one.silences, one.warnings]).toEqual([1, ["events from Slack might be missing"]]);
});

test("two silent sockets without expected events are reported after 15 minutes", async () => {
	const { clock, client, says, opens, replaced } = await openSlack();
	const one = await client().connect();
	const deaf = await opens(2);
	for (const socket of deaf) socket.stopsReceiving();
	says("nobody hears it");
	clock.advance(15 * 60_000);
	await replaced(4);
	expect([one.silences, one.warnings]).toEqual([1, []]);
});

test("an event that was not stored is not acknowledged, and is repeated", async () => {
	let tries = 0;
	const receive = async (): Promise<undefined> => {
		tries += 1;
		if (tries < 3) throw new Error("the disk is full");
		return undefined;
	};
	const { clock, simulator, client, says, opens, watch } = await openSlack();
	const one = await client({ receive }).connect();
	await opens(2);
	says("again");
	await watch.until("it came", () => tries === 1);
	clock.advance(3000);
	await watch.until("it came again", () => tries === 2);
	clock.advance(3000 + 60_000);
	await watch.until("it is acknowledged", () => simulator.delivery.pending === 0);
	expect(one.envelopes.map(describeEnvelope)).toEqual(["message 0", "message 1", "message 2"]);
	const ids = one.envelopes.map(({ body }) => Object(body).event_id);
	expect(new Set(ids).size).toBe(1);
	expect(simulator.delivery.lost).toEqual([]);
});

test("a mention arrives as two events about one message", async () => {
	const { simulator, client, ada, general, opens, watch } = await openSlack();
	const one = await client().connect();
	await opens(2);
	const { id } = ada.says("hello", { in: general, mentions: [simulator.bot] });
	await watch.until("both came", () => one.envelopes.length === 2);
	expect(one.envelopes.map(describeEnvelope).toSorted()).toEqual(["app_mention 0", "message 0"]);
	const about = one.envelopes.map(({ body }) => `${general.id}-${Object(body).event.ts}`);
	expect(about).toEqual([id, id]);
});

test("the response to a form is in the acknowledgement", async () => {
	const view = {
		...{ type: "modal", callback_id: "form", title: { type: "plain_text", text: "Form" } },
		...{ submit: { type: "plain_text", text: "Send" }, blocks: [] },
	};
	const { client, ada, general, opens, watch } = await openSlack();
	const errors = { name: "is missing" };
	const one = await client({
		receive: async ({ body }) =>
			Object(body).type === "view_submission" ? { response_action: "errors", errors } : undefined,
	}).connect();
	await opens(2);
	const interaction = ada.commands("/parley ask", {}, { in: general });
	await watch.until("it came", () => one.envelopes.length === 1);
	const { trigger_id } = Object(one.envelopes[0]?.body);
	expect(await one.port.call({ method: "views.open", args: { trigger_id, view } })).toMatchObject({
		type: "ok",
	});
	const sent = ada.submits(interaction);
	await watch.until("it is answered", () => sent.record.state === "acknowledged");
	expect(sent.record.view?.errors).toEqual(errors);
	expect(one.envelopes.map(({ type }) => type)).toEqual(["command", "view"]);
});
