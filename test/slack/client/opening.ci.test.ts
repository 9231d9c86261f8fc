import { expect, test } from "vitest";
import { openSlack } from "./open-slack.ts";

test("after a rate limit of new sockets, the others wait as long as Slack requests", async () => {
	const { clock, simulator, client, sockets, opens, watch } = await openSlack();
	simulator.network.next("apps.connections.open", { status: 429, retryAfter: 30_000 });
	const one = await client().connect();
	await opens(1);
	await one.reaches("ready");
	await watch.until("the limit is reported", () => one.warnings.includes("could not open a socket to Slack"));
	clock.advance(29_999);
	expect(sockets.opened).toBe(1);
	clock.advance(1);
	await opens(2);
	expect(one.states).toEqual(["ready"]);
});

test("the reason is reported while no socket can be opened", async () => {
	const { clock, simulator, client, opens } = await openSlack();
	const planned = [{ status: 429, retryAfter: 10_000 }, { status: 503 }] as const;
	for (const fault of planned) simulator.network.next("apps.connections.open", fault);
	const one = await client().connect();
	await one.reaches("lost");
	clock.advance(10_000);
	await one.reaches("ready");
	await opens(2);
	expect(one.links[0]).toMatchObject({
		detail: expect.stringMatching(/^cannot connect to Slack: .*; retrying$/),
	});
	expect(one.states).toEqual(["lost", "ready"]);
});

test("more than ten sockets are refused, which is reported, and retried when a socket is free", async () => {
	const { clock, client, opens, sockets } = await openSlack();
	const others = await Promise.all(Array.from({ length: 5 }, () => client().connect()));
	await opens(10);
	const one = await client().connect();
	await one.reaches("lost");
	expect(one.links[0]).toMatchObject({ detail: expect.stringContaining("too_many_websockets") });
	await others[0]?.port.close();
	clock.advance(1000);
	await one.reaches("ready");
	expect(sockets.range.maximum).toBe(10);
});

test("a silent socket is replaced by another one", async () => {
	const { clock, client, sockets, opens, watch } = await openSlack();
	sockets.greets = false;
	const one = await client().connect();
	await watch.until("two were opened", () => sockets.opened === 2);
	sockets.greets = true;
	clock.advance(10_000);
	await one.reaches("lost");
	expect(one.links[0]).toMatchObject({ detail: expect.stringContaining('did not send "hello"') });
	clock.advance(1000);
	await opens(2);
	expect(one.states).toEqual(["lost", "ready"]);
});

test("an address that Slack sends too late is not used", async () => {
	const { clock, simulator, client, sockets, opens, watch } = await openSlack();
	const late = Promise.withResolvers<void>();
	for (const _ of [1, 2]) simulator.network.next("apps.connections.open", { until: late.promise });
	const one = await client().connect();
	await watch.until("both have asked", () => simulator.network.pending === 0);
	clock.advance(10_000);
	await one.reaches("lost");
	late.resolve();
	clock.advance(1000);
	await one.reaches("ready");
	await opens(2);
	expect(sockets.opened).toBe(2);
});

test("without a response from Slack the client waits and retries", async () => {
	const { clock, simulator, client, opens } = await openSlack();
	simulator.network.next("auth.test", { drop: "before" });
	simulator.network.next("auth.test", { status: 500 });
	const one = client();
	const connecting = one.connect();
	await one.reaches("lost");
	while (one.states.length < 2) {
		clock.advance(1000);
		await new Promise((resolve) => setImmediate(resolve));
	}
	await connecting;
	await opens(2);
	expect(one.states).toEqual(["lost", "ready"]);
	expect(one.links[0]).toMatchObject({
		detail: expect.stringMatching(/^cannot connect to Slack: .*; retrying$/),
	});
	expect(simulator.network.pending).toBe(0);
});

test.each([
	[
		"an invalid bot token",
		{ botToken: "xoxb-none" },
		["the bot token (invalid_auth)", "copy the token again"],
	],
	["no bot token", { botToken: "" }, ["(not_authed)", "the token is missing"]],
])("%s is refused once, with advice", async (_, options, words) => {
	const { client, sockets } = await openSlack();
	const one = await client(options).connect();
	expect(one.links).toEqual([{ state: "refused", detail: expect.any(String) }]);
	for (const part of words) expect(one.links[0]).toMatchObject({ detail: expect.stringContaining(part) });
	expect(sockets.opened).toBe(0);
});

test("an invalid app token, or one of another type, is refused once, with advice", async () => {
	const { simulator, client } = await openSlack();
	const tokens = [
		["xapp-none", "the app token (invalid_auth)"],
		[simulator.token, "an app token (xapp-) as SLACK_APP_TOKEN"],
	] as const;
	for (const [appToken, words] of tokens) {
		const one = await client({ transport: { type: "sockets", appToken } }).connect();
		await one.reaches("refused");
		expect(one.links).toEqual([{ state: "refused", detail: expect.stringContaining(words) }]);
	}
});

test("tokens that are revoked while the client runs are refused once", async () => {
	const { simulator, client, opens } = await openSlack();
	const one = await client().connect();
	await opens(2);
	simulator.home.revokesTokens();
	simulator.delivery.drop();
	await one.reaches("refused");
	expect(one.states).toEqual(["ready", "lost", "refused"]);
	expect(one.links.at(-1)).toMatchObject({ detail: expect.stringContaining("install the app again") });
});

test("disabled Socket Mode is refused, with advice", async () => {
	const { client, opens, sockets } = await openSlack();
	const one = await client().connect();
	await opens(2);
	sockets.switchOff();
	await one.reaches("refused");
	expect(one.links.at(-1)).toMatchObject({ detail: expect.stringContaining("switch it on") });
	await opens(0);
});

test("a second process with the same token is reported, and a killed process is not", async () => {
	const { clock, client, opens, replaced, watch, sockets } = await openSlack();
	const warning =
		"another process uses this app token, so each of them receives only a part of the messages: stop that process";
	const warned = (one: ReturnType<typeof client>): boolean =>
		one.warnings.some((text) => text.startsWith(warning));
	const killed = await client().connect();
	await opens(2);
	const one = await client().connect();
	await opens(4);
	await killed.port.close();
	await opens(2);
	clock.advance(60_000);
	await replaced(5);
	expect([warned(one), warned(killed)]).toEqual([false, false]);
	const two = await client().connect();
	await opens(4);
	clock.advance(60_000);
	await watch.until("the second one knows", () => warned(two));
	// The first client notices the second client only when the next socket of the first client opens.
	await replaced(8, 4);
	for (const socket of sockets.open.slice(0, 2)) socket.disconnects("refresh_requested");
	await replaced(10, 4);
	clock.advance(60_000);
	await watch.until("the first one knows", () => warned(one));
});
