import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { ManualClock, MemoryLogger, seededIds } from "@parley/base/testing";
import { ScriptedGateway } from "@parley/connector/testing";
import { expect, onTestFinished, test } from "vitest";
import { runSlack } from "./run-slack.ts";
import { ok, ScriptedSlack, self } from "./testing/scripted-slack.ts";

const ready = { state: "ready", account: self } as const;
const minute = 60_000;

interface Given {
	readonly dataDir?: string;
	readonly clock?: ManualClock;
	readonly gateway?: ScriptedGateway;
}

async function place(given: Given = {}) {
	const dataDir = given.dataDir ?? (await mkdtemp(join(tmpdir(), "parley-slack-")));
	if (!given.dataDir) onTestFinished(() => rm(dataDir, { recursive: true }));
	const { clock = new ManualClock() } = given;
	const [log, port, ids] = [new MemoryLogger(), new ScriptedSlack(), seededIds(1)];
	const running = await runSlack({
		botToken: "canary",
		gatewayUrl: "http://127.0.0.1:9",
		gatewayToken: "token",
		dataDir,
		log,
		clock,
		ids,
		port,
		chance: () => 0,
		...(given.gateway && { gateway: { client: given.gateway.connect(), files: given.gateway.files } }),
	});
	let isStopped = false;
	const stop = async (): Promise<void> => {
		if (!isStopped) await running.stop();
		isStopped = true;
	};
	onTestFinished(stop);
	return { dataDir, clock, log, port, running, stop, handlers: await port.connected.promise };
}

function wrote(clock: ManualClock, minutes: number): object {
	const ts = ((clock.now() - minutes * minute) / 1000).toFixed(6);
	return { type: "message", channel: "D1", channel_type: "im", user: "UADA", text: "hello", ts };
}

function envelope(event: object) {
	return { type: "event", body: { event_id: "Ev1", event }, attempt: 0 } as const;
}

test("an event before the bot's account is known is handled afterwards, once for both of its deliveries", async () => {
	const { clock, running, handlers } = await place();
	const message = { ...wrote(clock, 1), channel: "C1", text: "<@UBOT> hello" };
	const received = [
		handlers.receive(envelope(message)),
		handlers.receive(envelope({ ...message, type: "app_mention" })),
	];
	expect(await running.status()).toEqual({ malformed: 0, behind: 0 });
	handlers.link(ready);
	expect(await Promise.all(received)).toEqual([undefined, undefined]);
	expect(await running.status()).toMatchObject({ link: ready, connector: { waiting: 1 } });
});

async function caughtUp(
	running: { status(): Promise<{ readonly behind: number }> },
	clock: ManualClock,
): Promise<void> {
	while ((await running.status()).behind > 0) {
		clock.advance(1200);
		await tick();
	}
}

test("only the owner can read the database, and a second start reads the messages in between", async () => {
	const first = await place();
	const { dataDir, clock } = first;
	first.handlers.link(ready);
	const old = wrote(clock, 1);
	await first.handlers.receive(envelope(old));
	await first.stop();
	expect(first.port.closed).toBe(1);
	expect(first.port.methods).not.toContain("conversations.history");
	expect((await stat(join(dataDir, "connectors", "slack.sqlite"))).mode & 0o777).toBe(0o600);

	clock.advance(10 * minute);
	const second = await place({ dataDir, clock });
	const read = Promise.withResolvers<void>();
	second.port.answer("conversations.history", () => {
		read.resolve();
		return ok({ messages: [wrote(clock, 5), old] });
	});
	second.handlers.link(ready);
	// The gaps are the direct messages, and the thread of the first message.
	expect(await second.running.status()).toMatchObject({ behind: 2 });
	await caughtUp(second.running, clock);
	await read.promise;
	expect(await second.running.status()).toMatchObject({ connector: { waiting: 2 } });
});

test("an event that fails at its last delivery is read, and so are messages during a silence", async () => {
	const { clock, port, running, handlers } = await place();
	handlers.link(ready);
	const message = wrote(clock, 7);
	port.answer("users.info", { type: "rate-limited", retryAfterMs: 30_000 });
	const read = Promise.withResolvers<void>();
	port.answer("conversations.history", () => {
		read.resolve();
		return ok({ messages: [message] });
	});
	await handlers.receive({ ...envelope(message), attempt: 3 });
	expect(await running.status()).toMatchObject({ behind: 1, connector: { waiting: 0 } });
	await caughtUp(running, clock);
	await read.promise;
	expect(await running.status()).toMatchObject({ connector: { waiting: 1 } });
	clock.advance(5 * minute);
	handlers.silent?.();
	expect(await running.status()).toMatchObject({ behind: 2 });
	await caughtUp(running, clock);
	clock.advance(5 * minute);
	await handlers.receive(envelope({ type: "team_rename" }));
	expect(await running.status()).toMatchObject({ behind: 2 });
});

test("after a loss of the database, the messages that the gateway does not have are read", async () => {
	const clock = new ManualClock();
	const gateway = new ScriptedGateway(clock);
	const sent = (): unknown[] =>
		gateway.requests.flatMap(({ method, params }) => {
			return method === "send_message" ? [params["correlation_id"]] : [];
		});
	const old = { ...wrote(clock, 3), text: "old" };
	const first = await place({ clock, gateway });
	first.handlers.link(ready);
	await first.handlers.receive(envelope(old));
	while (sent().length === 0) await tick();
	await first.stop();

	const second = await place({ clock, gateway });
	const missed = wrote(clock, 2);
	second.port.answer("conversations.history", ok({ messages: [missed] }));
	second.handlers.link(ready);
	while ((await second.running.status()).behind === 0) await tick();
	clock.advance(1200);
	while (sent().length === 1) await tick();
	const idOf = (message: object): string => `D1-${Object(message).ts}`;
	expect(sent()).toEqual([idOf(old), idOf(missed)]);
	expect(second.port.calls).toContainEqual(
		expect.objectContaining({ args: expect.objectContaining({ channel: "D1", oldest: Object(old).ts }) }),
	);
});

test("a command is answered, and malformed requests are counted", async () => {
	const { handlers, running } = await place();
	handlers.link(ready);
	const command = { command: "/parley", text: "", trigger_id: "1.2.x", user_id: "UADA", channel_id: "D1" };
	const reply = await handlers.receive({ type: "command", body: command, attempt: 0 });
	expect(reply).toMatchObject({ text: expect.stringContaining("/parley ask") });
	await handlers.receive({ type: "unread", body: null, attempt: 0 });
	expect(await running.status()).toMatchObject({ malformed: 1 });
});

test("after a press on Slack's own button, the status line is removed", async () => {
	const { handlers, port, running } = await place();
	handlers.link(ready);
	const thread_ts = "1767225600.000100";
	const pressed = { type: "agent_session_stopped", channel: "C1", user: "UADA", thread_ts };
	await handlers.receive(envelope({ ...pressed, streaming_message_ts: [], event_ts: "1767225601.000100" }));
	expect(port.calls).toContainEqual({
		method: "agents.sessions.setStatus",
		args: { channel_id: "C1", thread_ts, status: "active" },
	});
	expect(await running.status()).toMatchObject({ connector: { waiting: 1 } });
});

test("an unhandled event is not acknowledged at the stop", async () => {
	const { handlers, clock, stop } = await place();
	const received = handlers.receive(envelope(wrote(clock, 1)));
	const refused = expect(received).rejects.toMatchObject({ code: "cancelled" });
	await stop();
	await refused;
	await expect(handlers.receive(envelope(wrote(clock, 1)))).rejects.toMatchObject({ code: "cancelled" });
});

test("a refused connection rejects with an explanation, and stopping does not", async () => {
	const { running, handlers, stop } = await place();
	handlers.link({ state: "refused", detail: "the token was revoked" });
	expect(await running.ended).toMatchObject({ message: "the token was revoked" });
	await stop();
	const other = await place();
	await other.stop();
	expect(await other.running.ended).toBeUndefined();
});

test("the connector does not start without a transport for Slack", async () => {
	const dataDir = join(tmpdir(), "never-made");
	const [log, clock, ids] = [new MemoryLogger(), new ManualClock(), seededIds(1)];
	const options = { botToken: "canary", gatewayUrl: "http://127.0.0.1:9", gatewayToken: "token", dataDir };
	await expect(
		runSlack({ ...options, log, clock, ids, chance: () => 0, signingSecret: "s" }),
	).rejects.toMatchObject({ code: "invalid_argument" });
});
