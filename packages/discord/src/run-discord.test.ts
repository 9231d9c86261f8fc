import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock, MemoryLogger, seededIds } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { runDiscord } from "./run-discord.ts";
import { ScriptedPort } from "./testing/scripted-port.ts";
import type { DiscordPort } from "./vocabulary/discord-port.ts";
import { snowflakeAt } from "./vocabulary/snowflake.ts";

type Handlers = Parameters<DiscordPort["connect"]>[0];

class StagedPort extends ScriptedPort {
	readonly connected = Promise.withResolvers<Handlers>();
	closed = 0;

	override async connect(handlers?: Handlers): Promise<void> {
		if (handlers) this.connected.resolve(handlers);
	}

	override async close(): Promise<void> {
		this.closed += 1;
	}
}

const self = { user: "11", application: "22" };
const ready = { state: "ready", ...self, resumed: false } as const;
const resumed = { ...ready, resumed: true };

async function place(given: { readonly dataDir?: string; readonly clock?: ManualClock } = {}) {
	const dataDir = given.dataDir ?? (await mkdtemp(join(tmpdir(), "parley-discord-")));
	if (!given.dataDir) onTestFinished(() => rm(dataDir, { recursive: true }));
	const { clock = new ManualClock() } = given;
	const [log, port, ids] = [new MemoryLogger(), new StagedPort(), seededIds(1)];
	const running = await runDiscord({
		...{ token: "canary", gatewayUrl: "http://127.0.0.1:9", gatewayToken: "token", dataDir },
		...{ log, clock, ids, port, chance: () => 0 },
	});
	let isStopped = false;
	const stop = async (): Promise<void> => {
		if (!isStopped) await running.stop();
		isStopped = true;
	};
	onTestFinished(stop);
	return { dataDir, clock, log, port, running, stop, handlers: await port.connected.promise };
}

function wrote(clock: ManualClock, minutes: number): { readonly id: string; readonly channel_id: string } {
	const message = {
		...{ id: snowflakeAt(clock.now() - minutes * 60_000), channel_id: "5", channel_type: 1, type: 0 },
		...{ author: { id: "7", username: "ada" }, content: "hello", mentions: [], mention_roles: [] },
		...{ mention_everyone: false, attachments: [] },
	};
	return message;
}

test("events of a resumed session before the bot's account is known are handled once", async () => {
	const { clock, running, handlers } = await place();
	const message = { t: "MESSAGE_CREATE", d: wrote(clock, 1) };
	const received = [handlers.dispatch(message), handlers.dispatch(message)];
	expect(await running.status()).toEqual({ behind: 0, malformed: 0 });
	handlers.link(resumed);
	await Promise.all(received);
	expect(await running.status()).toMatchObject({ link: resumed, connector: { waiting: 1 } });
});

test("the database is readable only by its owner, and a second start continues", async () => {
	const first = await place();
	const { dataDir, clock } = first;
	first.handlers.link(ready);
	await first.handlers.dispatch({ t: "READY", d: {} });
	const old = wrote(clock, 9);
	await first.handlers.dispatch({ t: "MESSAGE_CREATE", d: old });
	await first.stop();
	expect(first.port.closed).toBe(1);
	expect(first.port.requestLines).not.toContain("GET /channels/5/messages");
	expect((await stat(join(dataDir, "connectors", "discord.sqlite"))).mode & 0o777).toBe(0o600);

	const second = await place({ dataDir, clock });
	const missed = wrote(clock, 5);
	second.port.answer("GET /channels/5/messages", { body: [missed, old, wrote(clock, 12)] });
	second.handlers.link(ready);
	await second.handlers.dispatch({ t: "READY", d: {} });
	expect(second.port.requestLines).toContain("GET /channels/5/messages");
	expect(await second.running.status()).toMatchObject({ connector: { waiting: 2 } });
});

test("a new session does not continue while messages before it are unread", async () => {
	const first = await place();
	first.handlers.link(ready);
	await first.handlers.dispatch({ t: "MESSAGE_CREATE", d: wrote(first.clock, 9) });
	await first.stop();
	const second = await place({ dataDir: first.dataDir, clock: first.clock });
	second.port.answer("GET /channels/5/messages", { status: 503 });
	second.handlers.link(ready);
	const received = second.handlers.dispatch({ t: "READY", d: {} });
	const refused = expect(received).rejects.toMatchObject({ code: "cancelled" });
	await second.stop();
	await refused;
});

test("an unreadable channel counts as behind, and the session continues", async () => {
	const first = await place();
	first.handlers.link(ready);
	await first.handlers.dispatch({ t: "MESSAGE_CREATE", d: wrote(first.clock, 9) });
	await first.stop();
	const { clock, dataDir } = first;
	const second = await place({ dataDir, clock });
	second.port.answer("GET /channels/5/messages", ...Array.from({ length: 5 }, () => ({ status: 503 })));
	second.handlers.link(ready);
	let isReceived = false;
	const received = second.handlers.dispatch({ t: "READY", d: {} })?.then(() => {
		isReceived = true;
	});
	while (!isReceived) {
		await new Promise((resolve) => void setImmediate(resolve));
		clock.advance(1000);
	}
	await received;
	expect(await second.running.status()).toMatchObject({ behind: 1 });
	await second.stop();
	const third = await place({ dataDir, clock });
	expect(await third.running.status()).toMatchObject({ behind: 1 });
	third.port.answer("GET /channels/5/messages", { body: [] });
	third.handlers.link(resumed);
	while ((await third.running.status()).behind > 0)
		await new Promise((resolve) => void setImmediate(resolve));
	expect(third.port.requestLines).toContain("GET /channels/5/messages");
});

test("commands are registered once, and each start checks them", async () => {
	const commands = "/applications/22/commands";
	const first = await place();
	first.port.answer(`GET ${commands}`, { body: [] });
	first.handlers.link(ready);
	await first.handlers.dispatch({ t: "MESSAGE_CREATE", d: wrote(first.clock, 1) });
	await first.stop();
	const created = first.port.requests.filter(({ method, path }) => method === "POST" && path === commands);
	expect(created).not.toEqual([]);
	const second = await place({ dataDir: first.dataDir, clock: first.clock });
	second.port.answer(`GET ${commands}`, {
		body: created.map(({ body }, index) => ({ ...Object(body), id: String(index) })),
	});
	second.handlers.link(resumed);
	await second.handlers.dispatch({ t: "MESSAGE_CREATE", d: wrote(first.clock, 0) });
	await second.stop();
	expect(second.port.requestLines).toEqual([`GET ${commands}`]);
});

test("an interaction is answered", async () => {
	const { clock, port, running, handlers } = await place();
	handlers.link(ready);
	await handlers.dispatch({ t: "MESSAGE_CREATE", d: wrote(clock, 1) });
	const data = {
		...{ id: "1", name: "Ask about this", type: 3, target_id: "30" },
		resolved: { messages: { "30": { ...wrote(clock, 2), id: "30" } } },
	};
	await handlers.dispatch({
		t: "INTERACTION_CREATE",
		d: {
			...{ id: snowflakeAt(clock.now()), application_id: "22", token: "secret", type: 2, data },
			...{ channel: { id: "5", type: 1 }, channel_id: "5", user: { id: "7", username: "ada" } },
		},
	});
	await running.stop();
	expect(port.requestLines.some((request) => request.endsWith("/secret/callback"))).toBe(true);
});

test("a refused connection rejects with an explanation, and stopping does not", async () => {
	const { running, handlers, stop } = await place();
	handlers.link({ state: "refused", detail: "switch the intent on" });
	expect(await running.ended).toMatchObject({ message: "switch the intent on" });
	await stop();
	const other = await place();
	await other.stop();
	expect(await other.running.ended).toBeUndefined();
});
