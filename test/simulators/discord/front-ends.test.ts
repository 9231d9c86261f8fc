import { systemClock } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import type { DiscordDispatch, DiscordLink, DiscordPort } from "@parley/discord";
import { GatewayIntentBits as Intents } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { Watch } from "../../watch.ts";
import { InProcessPort, type SessionStore } from "./in-process.ts";
import { Simulator } from "./platform/simulator.ts";
import { DiscordServer } from "./server.ts";
import { SocketPort } from "./socket-port.ts";

const intents = Intents.Guilds | Intents.GuildMessages | Intents.DirectMessages | Intents.MessageContent;

interface PortOptions {
	readonly sessions?: SessionStore;
	readonly token?: string;
	readonly intents?: number;
}

interface FrontEnd {
	readonly simulator: Simulator;
	port(options?: PortOptions): DiscordPort;
	pass(ms: number): void;
	close(): Promise<void>;
}

async function inProcess(privileged?: number): Promise<FrontEnd> {
	const clock = new ManualClock();
	const simulator = new Simulator({ clock, ...(privileged !== undefined && { privileged }) });
	return {
		simulator,
		port: (options) => new InProcessPort(simulator, { intents, ...options }),
		pass: (ms) => clock.advance(ms),
		close: async () => simulator.close(),
	};
}

async function sockets(privileged?: number): Promise<FrontEnd> {
	const simulator = new Simulator({ clock: systemClock, ...(privileged !== undefined && { privileged }) });
	const server = await DiscordServer.start(simulator);
	return {
		simulator,
		port: (options) =>
			new SocketPort({
				apiUrl: `${server.apiUrl}/v10`,
				token: simulator.token,
				intents,
				reconnectMs: 10,
				...options,
			}),
		pass: () => {},
		close: () => server.close(),
	};
}

async function listening(port: DiscordPort) {
	const watch = new Watch();
	const links: DiscordLink[] = [];
	const received: DiscordDispatch[] = [];
	await port.connect({
		dispatch: (event) => {
			received.push(event);
			watch.notify();
		},
		link: (link) => {
			links.push(link);
			watch.notify();
		},
	});
	const texts = (): string[] =>
		received.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => Object(d).content);
	const ready = (): DiscordLink[] => links.filter(({ state }) => state === "ready");
	return { watch, links, received, texts, ready };
}

const frontEnds = [
	["in process", inProcess],
	["over sockets", sockets],
] as const;

test.each(frontEnds)("%s: a port is ready, receives messages, and posts", async (_, open) => {
	const front = await open();
	const general = front.simulator.channel("general");
	const anna = front.simulator.member("Anna");
	const port = front.port();
	const { watch, links, received, texts } = await listening(port);
	expect(links).toMatchObject([{ state: "ready", user: front.simulator.bot.id, resumed: false }]);
	anna.says("Hello", { in: general });
	await watch.until("it is heard", () => texts().length > 0);
	expect(received.map(({ t }) => t)).toEqual(["READY", "GUILD_CREATE", "MESSAGE_CREATE"]);
	const body = { content: "Hi", allowed_mentions: { parse: [] } };
	const answer = await port.request({ method: "POST", path: `/channels/${general.id}/messages`, body });
	expect(answer).toMatchObject({
		status: 200,
		body: { content: "Hi" },
		headers: { "x-ratelimit-limit": "5" },
	});
	expect(general.shows().map(({ text }) => text)).toEqual(["Hello", "Hi"]);
	await port.close();
	await front.close();
});

test.each(frontEnds)("%s: files are uploaded and downloaded", async (_, open) => {
	const front = await open();
	const general = front.simulator.channel("general");
	const port = front.port();
	const bytes = new TextEncoder().encode("abc");
	const path = `/channels/${general.id}/messages`;
	const { body } = await port.request({
		method: "POST",
		path,
		body: { content: "" },
		files: [{ name: "a.txt", bytes }],
	});
	const [{ url, filename }] = Object(body).attachments;
	expect([filename, general.last().attachments]).toEqual(["a.txt", ["a.txt"]]);
	const { signal } = new AbortController();
	expect(new Uint8Array(await port.download(url, 3, signal))).toEqual(bytes);
	await expect(port.download(url, 2, signal)).rejects.toMatchObject({ code: "resource_exhausted" });
	await expect(port.download(url.replace(/hm=../, "hm=zz"), 3, signal)).rejects.toMatchObject({
		code: "not_found",
	});
	await front.close();
});

test.each(frontEnds)("%s: a wrong token and a missing intent are refused for good", async (_, open) => {
	const front = await open(0);
	const wrong = await listening(front.port({ token: "wrong" }));
	expect(wrong.links).toMatchObject([{ state: "refused", detail: expect.stringContaining("4004") }]);
	const missing = await listening(front.port());
	expect(missing.links).toMatchObject([{ state: "refused", detail: expect.stringContaining("4014") }]);
	await front.close();
});

test.each(frontEnds)(
	"%s: events of a lost connection are delivered afterwards, once and in order",
	async (_, open) => {
		const front = await open();
		const general = front.simulator.channel("general");
		const anna = front.simulator.member("Anna");
		const port = front.port();
		const { watch, links, texts, ready } = await listening(port);
		anna.says("before", { in: general });
		await watch.until("it is heard", () => texts().length === 1);
		for (const lose of ["drop", "reconnect"] as const) {
			const before = links.length;
			front.simulator.gateway[lose]();
			await watch.until("it is lost", () => links.length > before);
			anna.says(`during ${lose}`, { in: general });
			const knownCount = ready().length;
			front.pass(500);
			await watch.until("it is back", () => ready().length > knownCount);
		}
		anna.says("after", { in: general });
		await watch.until("all is heard", () => texts().includes("after"));
		expect(texts()).toEqual(["before", "during drop", "during reconnect", "after"]);
		expect(ready().map((link) => link.state === "ready" && link.resumed)).toEqual([false, true, true]);
		await port.close();
		await front.close();
	},
);

test.each(frontEnds)("%s: a new session starts after one that has ended", async (_, open) => {
	const front = await open();
	const { watch, received, ready } = await listening(front.port());
	front.simulator.gateway.invalidate();
	await Promise.resolve();
	front.pass(5000);
	await watch.until("it is back", () => ready().length === 2);
	expect(received.filter(({ t }) => t === "READY")).toHaveLength(2);
	await front.close();
});

test.each(frontEnds)("%s: another process continues the session of the previous one", async (_, open) => {
	const front = await open();
	const general = front.simulator.channel("general");
	const anna = front.simulator.member("Anna");
	const sessions: SessionStore = {};
	const first = front.port({ sessions });
	const before = await listening(first);
	anna.says("one", { in: general });
	await before.watch.until("it is heard", () => before.texts().length === 1);
	await first.close();
	anna.says("two", { in: general });
	const second = front.port({ sessions });
	const after = await listening(second);
	await after.watch.until("it is back", () => after.ready().length === 1);
	expect(after.received.map(({ t }) => t)).toEqual(["MESSAGE_CREATE", "RESUMED"]);
	expect([before.texts(), after.texts()]).toEqual([["one"], ["two"]]);
	await second.close();
	await front.close();
});

test.each(frontEnds)("%s: presses are answered", async (_, open) => {
	const front = await open();
	const general = front.simulator.channel("general");
	const anna = front.simulator.member("Anna");
	const port = front.port();
	const { watch, received } = await listening(port);
	const components = [{ type: 1, components: [{ type: 2, style: 1, label: "Go", custom_id: "go" }] }];
	const path = `/channels/${general.id}/messages`;
	await port.request({ method: "POST", path, body: { content: "Sure?", components } });
	const interaction = anna.clicks("Go");
	await watch.until("it is heard", () => received.some(({ t }) => t === "INTERACTION_CREATE"));
	const { id, token } = Object(received.at(-1)?.d);
	const answer = await port.request({
		...{ method: "POST", path: `/interactions/${id}/${token}/callback`, query: { with_response: "true" } },
		...{ body: { type: 4, data: { content: "Gone", flags: 64 } }, authorized: false },
	});
	expect(answer).toMatchObject({ status: 200, body: { resource: { message: { content: "Gone" } } } });
	expect(interaction.answers()).toMatchObject([{ text: "Gone", ephemeral: true }]);
	await port.close();
	await front.close();
});

test.each(frontEnds)(
	"%s: a request without a response rejects, whether it was performed or not",
	async (_, open) => {
		const front = await open();
		const general = front.simulator.channel("general");
		const port = front.port();
		const post = () =>
			port.request({ method: "POST", path: `/channels/${general.id}/messages`, body: { content: "Hi" } });
		front.simulator.network.next("POST *", { drop: "before" });
		await expect(post()).rejects.toMatchObject({ code: "unavailable" });
		expect(general.shows()).toHaveLength(0);
		front.simulator.network.next("POST *", { drop: "after-commit" });
		await expect(post()).rejects.toMatchObject({ code: "unavailable" });
		expect(general.shows()).toHaveLength(1);
		await front.close();
	},
);
