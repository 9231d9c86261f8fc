import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ManualClock } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { probeLlama } from "./llama-health.ts";

test.each([
	["x".repeat((1 << 20) + 1), "answers GET /health with more than 1 MiB, unlike a llama-server"],
	["x", "answers GET /health with 200, unlike a llama-server"],
])("a program that is not a llama-server is described by its answer", async (text, did) => {
	const server = createServer((_, response) => response.end(text)).listen(0, "127.0.0.1");
	onTestFinished(() => void server.close());
	await once(server, "listening");
	// The cast is safe because the server listens on a TCP port.
	const { port } = server.address() as AddressInfo;
	const endpoint = `http://127.0.0.1:${port}`;
	expect(await probeLlama({ endpoint }, new ManualClock())).toEqual({ state: "other", did });
});
