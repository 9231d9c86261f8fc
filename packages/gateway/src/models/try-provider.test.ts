import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { tryProvider } from "./try-provider.ts";

const clock = new ManualClock();

test("the offline model gets no request", async () => {
	expect(await tryProvider({ provider: "offline" }, clock)).toBeUndefined();
});

test("a request for the models of a server has the key, and returns the time of the server", async () => {
	const seen: unknown[] = [];
	const server = createServer((request, response) => {
		seen.push(request.url, request.headers["x-api-key"]);
		response.writeHead(401, { date: "Thu, 01 Jan 2026 00:00:07 GMT" }).end("{}");
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	// The cast is safe because the server listens on a port.
	const { port } = server.address() as AddressInfo;
	const baseUrl = `http://127.0.0.1:${port}`;
	const answer = await tryProvider({ provider: "anthropic", baseUrl, apiKey: "key-1234" }, clock);
	expect(seen).toEqual(["/v1/models", "key-1234"]);
	expect(answer).toMatchObject({ reached: true, status: 401, serverTime: clock.now() + 7_000 });
	server.close();
	await once(server, "close");
	expect(await tryProvider({ provider: "anthropic", baseUrl }, clock)).toEqual({
		reached: false,
		url: `${baseUrl}/v1/models`,
		reason: "connection refused (ECONNREFUSED)",
	});
});

test.each([
	["openai", "compatible", "/v1/models", { authorization: "Bearer key-1234" }],
	["gemini", "google", "/v1/models?pageSize=1000", { "x-goog-api-key": "key-1234" }],
	["mine", "anthropic", "/v1/models", { "x-api-key": "key-1234" }],
] as const)("the server of %s is asked with its own key", async (provider, family, url, headers) => {
	const seen: unknown[] = [];
	const server = createServer((request, response) => {
		seen.push(request.url, request.headers);
		response.end(family === "google" ? '{"models":[{"name":"models/m"}]}' : '{"data":[{"id":"m"}]}');
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	// The cast is safe because the server listens on a port.
	const { port } = server.address() as AddressInfo;
	const connection = { name: provider, family, baseUrl: `http://127.0.0.1:${port}/v1`, isOfficial: false };
	const connections = [{ ...connection, apiKey: "key-1234" }];
	const answer = await tryProvider({ provider, connections, apiKey: "key-of-another" }, clock);
	expect(answer).toMatchObject({ reached: true, status: 200, models: ["m"] });
	expect(seen).toEqual([url, expect.objectContaining(headers)]);
	expect(JSON.stringify(seen)).not.toContain("key-of-another");
	server.close();
	server.closeAllConnections();
});
