import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { MemoryLogger } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { slackLogger } from "./slack-logger.ts";
import { WebCalls, webOptions } from "./web-calls.ts";

async function open() {
	const requests: string[] = [];
	const server = createServer((request, response) => {
		const method = String(request.url).slice("/api/".length);
		requests.push(method);
		if (method !== "users.info") response.end('{"ok":true}');
	}).listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	const stopping = new AbortController();
	onTestFinished(async () => {
		stopping.abort();
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	// `address()` returns an address with a port, because the server listens on TCP.
	const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
	const options = webOptions(apiUrl, slackLogger(new MemoryLogger()), stopping.signal);
	return { requests, stopping, calls: new WebCalls("xoxb-1", options) };
}

test("a form is opened at once, also during many reads", async () => {
	const { calls, requests, stopping } = await open();
	const reading = Array.from({ length: 300 }, (_, n) =>
		calls.call({ method: "users.info", args: { user: `U${n}` } }),
	);
	const read = Promise.allSettled(reading);
	expect(await calls.call({ method: "views.open", args: {} })).toMatchObject({ type: "ok" });
	expect(requests.filter((method) => method === "users.info").length).toBeLessThanOrEqual(20);
	stopping.abort();
	expect((await read).every(({ status }) => status === "rejected")).toBe(true);
});
