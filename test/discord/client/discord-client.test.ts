import { paced } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { Simulator, type SimulatorOptions } from "../../simulators/discord/platform/simulator.ts";
import { DiscordServer } from "../../simulators/discord/server.ts";
import { StoredSession } from "./stored-session.ts";
import { type ClientOptions, WatchedClient } from "./watched-client.ts";

async function place(options: SimulatorOptions = {}) {
	const simulator = new Simulator(options);
	const server = await DiscordServer.start(simulator);
	onTestFinished(() => server.close());
	const { apiUrl, cdnUrl } = server;
	const sessions = new StoredSession();
	const client = (overrides: Partial<ClientOptions> = {}) =>
		new WatchedClient({ token: simulator.token, apiUrl, cdnUrl, sessions, ...overrides });
	const general = simulator.channel("general");
	const ada = simulator.member("Ada");
	const says = (text: string) => ada.says(text, { in: general });
	return { simulator, general, ada, says, client, sessions };
}

test("the next client resumes the session, and gets the messages in between, in order", async () => {
	const { simulator, says, client, sessions } = await place();
	const first = await client().connect();
	says("one");
	await first.receives("one");
	await first.port.close();
	says("two");
	says("three");
	const second = await client().connect();
	await second.receives("three");
	expect(second.received).toEqual(["two", "three"]);
	const { user, application } = sessions.session ?? {};
	expect([user, application]).toEqual([simulator.bot.id, simulator.state.app.id]);
	expect([first.links, second.links]).toEqual([
		[{ state: "ready", user, application, resumed: false }],
		[{ state: "ready", user, application, resumed: true }],
	]);
});

test("a client whose first attempt fails retries until it is ready", async () => {
	const { simulator, client } = await place();
	simulator.network.next("GET /gateway/bot", { status: 502 });
	const one = await client().connect();
	expect(one.links.map(({ state }) => state)).toEqual(["lost", "ready"]);
});

test("an unacknowledged event is delivered to the next client again, with all later events", async () => {
	const { says, client } = await place();
	const first = await client({ accepts: ({ t }) => t !== "MESSAGE_CREATE" }).connect();
	says("one");
	says("two");
	await first.receives("two");
	await first.port.close();
	const second = await client().connect();
	await second.receives("two");
	expect(second.received).toEqual(["one", "two"]);
});

test("an expired Discord session is replaced, and the new session is resumed", async () => {
	const { simulator, says, client, sessions } = await place();
	const first = await client().connect();
	await first.port.close();
	const before = sessions.session?.id;
	simulator.gateway.forgetSessions();
	const second = await client().connect();
	expect(second.links.at(-1)).toMatchObject({ state: "ready", resumed: false });
	await second.gets("GUILD_CREATE");
	await second.port.close();
	expect(sessions.session?.id).not.toBe(before);
	says("one");
	const third = await client().connect();
	await third.receives("one");
	expect(third.links.at(-1)).toMatchObject({ state: "ready", resumed: true });
});

test("a connection that is lost, or that Discord wants to move, is resumed", async () => {
	const { simulator, says, client } = await place();
	const one = await client().connect();
	simulator.gateway.drop();
	await one.reaches("lost", 1);
	says("meanwhile");
	await one.reaches("ready", 2);
	simulator.gateway.reconnect();
	await one.reaches("ready", 3);
	says("after");
	await one.receives("meanwhile", "after");
	expect(one.links.map((link) => (link.state === "ready" ? link.resumed : link.state))).toEqual([
		...[false, "lost", true, "lost", true],
	]);
	expect(one.received).toEqual(["meanwhile", "after"]);
});

test("a connection without the intent is refused, with advice", async () => {
	const { client, sessions } = await place({ privileged: 0 });
	const one = await client().connect();
	expect(one.links).toEqual([
		{ state: "refused", detail: expect.stringContaining("Message Content Intent") },
	]);
	expect(sessions.session).toBeUndefined();
});

test("a wrong token is refused, before the connection and after it", async () => {
	const { simulator, client } = await place();
	const wrong = await client({ token: "MTA.wrong.token" }).connect();
	expect(wrong.links).toEqual([{ state: "refused", detail: expect.stringContaining("DISCORD_TOKEN") }]);
	const right = await client().connect();
	simulator.gateway.close(4004);
	await right.reaches("refused", 1);
});

test("an error response is returned with its headers, without a retry", async () => {
	const { simulator, general, client } = await place();
	const { port } = client();
	const path = `/channels/${general.id}/messages`;
	const send = () =>
		port.request({ method: "POST", path, body: { content: "hi", allowed_mentions: { parse: [] } } });
	simulator.network.next("POST /channels/{channel_id}/messages", { status: 429, retryAfter: 2000 });
	simulator.network.next("GET /channels/{channel_id}/messages", { status: 502 });
	const limited = await send();
	expect(limited).toMatchObject({ status: 429, headers: { "retry-after": expect.any(String) } });
	expect(await port.request({ method: "GET", path })).toMatchObject({ status: 502 });
	simulator.network.next("POST /channels/{channel_id}/typing", { drop: "after-commit" });
	const lost = port.request({ method: "POST", path: `/channels/${general.id}/typing` });
	await expect(lost).rejects.toMatchObject({ code: "unavailable" });
	expect(simulator.network.pending).toBe(0);
	expect(general.shows()).toEqual([]);
});

test("files are uploaded and downloaded", async () => {
	const { general, client } = await place();
	const { port } = client();
	const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
	const sent = await port.request({
		...{ method: "POST", path: `/channels/${general.id}/messages` },
		body: { attachments: [{ id: "0", filename: "all.bin" }], allowed_mentions: { parse: [] } },
		files: [{ name: "all.bin", bytes }],
	});
	expect(sent.status).toBe(200);
	const [url = ""] = JSON.stringify(sent.body).match(/http[^"]+all\.bin[^"]*/) ?? [];
	const { signal } = new AbortController();
	expect(await port.download(url, 300, signal)).toEqual(Buffer.from(bytes));
	await expect(port.download(url, 299, signal)).rejects.toMatchObject({ code: "resource_exhausted" });
});

test("a client that is closed while Discord is unavailable does not reconnect", async () => {
	const { simulator, client } = await place();
	const one = await client().connect();
	simulator.gateway.drop();
	await one.reaches("lost", 1);
	await one.port.close();
	// Connecting takes longer than the delay after which discord.js would reconnect the closed client.
	const other = await client().connect();
	simulator.gateway.drop();
	await other.reaches("ready", 2);
	expect(simulator.gateway.connections).toBe(1);
	expect(one.links).toHaveLength(2);
});

test("members see the presence that the connector sends", async () => {
	const { simulator, client } = await place();
	const { port } = await client().connect();
	const activities = [{ name: "Custom Status", type: 4, state: "The model is not answering" }] as const;
	port.present({ since: null, afk: false, status: "dnd", activities });
	const shown = { status: "dnd", activities: ["The model is not answering"] };
	await expect.poll(() => simulator.presence, { timeout: paced(10_000) }).toEqual(shown);
});
