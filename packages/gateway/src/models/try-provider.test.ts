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

test("a server is asked for its models with the key, and returns its time", async () => {
	const seen: unknown[] = [];
	const server = createServer((request, response) => {
		seen.push(request.url, request.headers["x-api-key"]);
		response.writeHead(401, { date: "Thu, 01 Jan 2026 00:00:07 GMT" }).end("{}");
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	// True because it listens at a port.
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
		reason: "ECONNREFUSED",
	});
});
