import { createHmac } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { request, Server } from "node:http";
import { type Clock, systemClock, type Timer } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { SlackReply } from "../../vocabulary/slack-port.ts";
import { HttpTransport } from "./http-transport.ts";
import type { Suspicion } from "./silence-watch.ts";

const signingSecret = "0123456789abcdef";

interface Received {
	readonly body: unknown;
	readonly attempt: number;
}

async function receiving(receive: (received: Received) => Promise<SlackReply>, clock: Clock = systemClock) {
	const log = new MemoryLogger();
	const suspicions: Suspicion[] = [];
	const receiver = new HttpTransport({
		signingSecret,
		listen: { host: "127.0.0.1", port: 0 },
		clock,
		log,
		suspected: (suspicion) => void suspicions.push(suspicion),
		deliver: (body, attempt) => receive({ body, attempt }),
		ready: () => undefined,
	});
	const url = `http://127.0.0.1:${await receiver.start()}/slack/events`;
	return {
		log,
		url,
		suspicions,
		posted: () => receiver.posted(),
		send: (text: string, headers: Readonly<Record<string, string>> = {}) =>
			fetch(url, { method: "POST", body: text, headers: { ...signed(text), ...headers } }),
		[Symbol.asyncDispose]: () => receiver.close(),
	};
}

function signed(text: string): Record<string, string> {
	const timestamp = String(Math.floor(systemClock.now() / 1000));
	const mac = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${text}`).digest("hex");
	return {
		"content-type": "application/json",
		"x-slack-request-timestamp": timestamp,
		"x-slack-signature": `v0=${mac}`,
	};
}

const event = '{"type":"event_callback","event_id":"Ev1"}';

test("a signed request is delivered, and acknowledged when it is stored", async () => {
	const received: Received[] = [];
	await using slack = await receiving(async (one) => void received.push(one));
	const response = await slack.send(event, { "x-slack-retry-num": "2" });
	expect([response.status, await response.text()]).toEqual([200, ""]);
	expect(received).toEqual([{ body: { type: "event_callback", event_id: "Ev1" }, attempt: 2 }]);
});

test("a form is acknowledged with its response", async () => {
	await using slack = await receiving(async () => ({ response_action: "clear" }));
	const response = await slack.send('{"type":"view_submission"}');
	expect(await response.json()).toEqual({ response_action: "clear" });
});

test("a request with a repeated signature gets the same response without another effect", async () => {
	let received = 0;
	await using slack = await receiving(async () => {
		received += 1;
		return undefined;
	});
	const headers = signed(event);
	for (const _ of [1, 2, 3]) expect((await slack.send(event, headers)).status).toBe(200);
	expect(received).toBe(1);
});

test("a failed request can be sent again by Slack, and is then delivered", async () => {
	let tries = 0;
	await using slack = await receiving(async () => {
		tries += 1;
		if (tries === 1) throw new Error("the disk is full");
		return undefined;
	});
	const headers = signed(event);
	expect((await slack.send(event, headers)).status).toBe(503);
	expect((await slack.send(event, headers)).status).toBe(200);
});

test("a request without Slack's signature is not delivered", async () => {
	let received = 0;
	await using slack = await receiving(async () => {
		received += 1;
		return undefined;
	});
	const old = { "x-slack-request-timestamp": "1700000000" };
	expect((await slack.send(event, old)).status).toBe(401);
	expect((await slack.send(event, { "x-slack-signature": "v0=00" })).status).toBe(401);
	expect((await fetch(slack.url, { method: "POST", body: event })).status).toBe(401);
	expect((await fetch(slack.url)).status).toBe(405);
	expect((await fetch(`${slack.url}/more`, { method: "POST" })).status).toBe(404);
	expect((await slack.send("not JSON")).status).toBe(400);
	expect((await slack.send("x".repeat(1_100_000))).status).toBe(413);
	expect(received).toBe(0);
});

test("Slack's two probes get a response without a delivery", async () => {
	await using slack = await receiving(() => Promise.reject(new Error("nobody should be asked")));
	const probe = await slack.send('{"type":"url_verification","challenge":"abc"}');
	expect(await probe.json()).toEqual({ challenge: "abc" });
	const form = { "content-type": "application/x-www-form-urlencoded" };
	expect((await slack.send("ssl_check=1&token=x", form)).status).toBe(200);
});

test("a used port is reported with its number", async () => {
	await using first = await receiving(async () => undefined);
	const port = Number(new URL(first.url).port);
	const second = new HttpTransport({
		signingSecret,
		listen: { host: "127.0.0.1", port },
		clock: systemClock,
		log: new MemoryLogger(),
		deliver: async () => undefined,
		ready: () => undefined,
		suspected: () => undefined,
	});
	await expect(second.start()).rejects.toThrow(
		`cannot listen on 127.0.0.1:${port} (EADDRINUSE); set another address`,
	);
});

/** Resolves with the server that receives the next request. */
async function serverOf(send: () => Promise<unknown>): Promise<Server> {
	const found = Promise.withResolvers<Server>();
	const note = (message: unknown): void => {
		const { server }: { server?: unknown } = Object(message);
		if (server instanceof Server) found.resolve(server);
	};
	subscribe("http.server.request.start", note);
	await send();
	unsubscribe("http.server.request.start", note);
	return found.promise;
}

test("errors of a server that listens are logged, and the server still watches for missing events", async () => {
	const clock = new ManualClock(systemClock.now());
	await using slack = await receiving(async () => undefined, clock);
	const server = await serverOf(() => slack.send(event));
	// Node emits these errors if it cannot accept a connection, for example without free file descriptors.
	for (const code of ["ENFILE", "ENOBUFS"]) server.emit("error", new Error(`accept ${code}`));
	expect(slack.log.records.map(({ level, message }) => [level, message])).toEqual([
		["error", "the server failed"],
		["error", "the server failed"],
	]);
	expect((await slack.send('{"type":"event_callback","event_id":"Ev2"}')).status).toBe(200);
	slack.posted();
	clock.advance(90_000);
	expect(slack.suspicions).toHaveLength(1);
});

function slow(url: string, headers: Readonly<Record<string, string>>) {
	const over = Promise.withResolvers<number | "cut">();
	const begun = Promise.withResolvers<void>();
	const sent = request(url, { method: "POST", headers: { ...headers, "content-length": "1000" } });
	sent.once("response", ({ statusCode }) => over.resolve(statusCode ?? 0));
	sent.once("error", () => over.resolve("cut"));
	sent.write("{", () => begun.resolve());
	return { over: over.promise, begun: begun.promise, end: () => void sent.destroy() };
}

test("a request with an invalid head is refused before its body is read, and logged once a minute", async () => {
	await using slack = await receiving(async () => undefined);
	const old = { ...signed(event), "x-slack-request-timestamp": "1700000000" };
	expect(await slow(slack.url, {}).over).toBe(401);
	expect(await slow(slack.url, old).over).toBe(401);
	expect(slack.log.records.map(({ level, message }) => [level, message])).toEqual([
		["warn", "refused a request without a valid signature of Slack"],
	]);
});

test("hundreds of slow requests that look signed do not block Slack", async () => {
	await using slack = await receiving(async () => undefined);
	const forged = { ...signed(event), "x-slack-signature": `v0=${"0".repeat(64)}` };
	const requests = Array.from({ length: 250 }, () => slow(slack.url, forged));
	await Promise.all(requests.map(({ begun }) => begun));
	expect((await slack.send(event)).status).toBe(200);
	expect(await requests[0]?.over).toBe("cut");
	for (const { end } of requests) end();
});

class WatchedClock extends ManualClock {
	readonly waits = Promise.withResolvers<void>();

	override after(ms: number, action: () => void): Timer {
		if (ms === 3000) this.waits.resolve();
		return super.after(ms, action);
	}
}

test("the wait for a body ends after three seconds", async () => {
	const clock = new WatchedClock(systemClock.now());
	await using slack = await receiving(async () => undefined, clock);
	const late = slow(slack.url, signed(event));
	await clock.waits.promise;
	clock.advance(3000);
	expect(await late.over).toBe("cut");
});

test("without events about own posts, or without any, Slack may not reach the server", async () => {
	const clock = new ManualClock(systemClock.now());
	await using slack = await receiving(async () => undefined, clock);
	slack.posted();
	clock.advance(10_000);
	expect((await slack.send(event)).status).toBe(200);
	clock.advance(60_000);
	expect(slack.suspicions).toEqual([]);
	slack.posted();
	clock.advance(30_000);
	expect(slack.suspicions).toMatchObject([{ since: clock.now() - 90_000, isLikely: true }]);
});
