import { expect, test } from "vitest";
import { openSlack } from "./open-slack.ts";

test("after the app is removed, the link is refused with advice", async () => {
	const { simulator, client, opens } = await openSlack();
	const one = await client().connect();
	await opens(2);
	simulator.home.removesApp();
	await one.reaches("refused");
	expect(one.links[1]).toMatchObject({
		detail: expect.stringMatching(/account_inactive.*install the app again/),
	});
	expect(one.envelopes).toEqual([]);
});

test("an event about a removed app that is installed again has no effect", async () => {
	const { simulator, client, opens } = await openSlack();
	const one = await client().connect();
	const [socket] = await opens(2);
	const { user } = simulator.state.app;
	const event = { type: "tokens_revoked", tokens: { bot: [user.id] } };
	await socket?.receive({ type: "event", body: { type: "event_callback", event }, attempt: 2 });
	while (one.warnings.length === 0) await new Promise((resolve) => setImmediate(resolve));
	expect(one.warnings).toEqual(["Slack reported that the app was removed, but still accepts its token"]);
	expect([one.states, one.envelopes]).toEqual([["ready"], []]);
});

test("an event about delayed events is acknowledged and reported", async () => {
	const { client, opens } = await openSlack();
	const one = await client().connect();
	const [socket] = await opens(2);
	const body = { type: "app_rate_limited", team_id: "T1", minute_rate_limited: 1_518_467_820 };
	expect(await socket?.receive({ type: "event", body, attempt: 0 })).toBeUndefined();
	expect([one.warnings, one.envelopes]).toEqual([
		["Slack limits the events of this app, because there are too many: some may arrive late or not at all"],
		[],
	]);
});
