import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { ModelTable, unknownModel } from "@parley/core";
import { ScriptedModel } from "@parley/core/testing";
import { expect, test } from "vitest";
import type { ModelServer } from "./discover-model.ts";
import { withListedWindows } from "./listed-windows.ts";

const { signal } = new AbortController();

async function serve(listener: RequestListener) {
	let requested = 0;
	const server = createServer((request, response) => {
		requested += 1;
		listener(request, response);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	// The cast is safe because the server listens on a port.
	const { port } = server.address() as AddressInfo;
	return {
		baseUrl: `http://127.0.0.1:${port}/v1`,
		requested: () => requested,
		[Symbol.dispose]() {
			server.closeAllConnections();
			server.close();
		},
	};
}

function modelAt(baseUrl: string, family: ModelServer["family"] = "compatible") {
	const clock = new ManualClock();
	const scripted = new ScriptedModel();
	const table = new ModelTable([unknownModel("known", scripted.provider)]);
	const deps = { server: { baseUrl, family }, table, clock, log: new MemoryLogger() };
	return { model: withListedWindows(scripted, deps), clock };
}

test.each([
	["context_length", 200_000, 200_000],
	["context_window", 131_072, 131_072],
	["max_context_length", 32_000, 32_000],
	["max_model_len", 4096, 4096],
	["context_length", null, undefined],
	["context_length", "much", undefined],
	["context_length", -1, undefined],
])("the list has the window as %s: %j", async (key, value, window) => {
	using server = await serve((_, response) =>
		response.end(JSON.stringify({ data: [{ id: "m", [key]: value }] })),
	);
	const { model } = modelAt(server.baseUrl);
	expect(model.windowOf?.("m")).toBeUndefined();
	await model.settled?.(signal, "m");
	await model.settled?.(signal, "another");
	expect(model.windowOf?.("m")).toBe(window);
	expect(model.windowOf?.("another")).toBeUndefined();
	expect(server.requested()).toBe(1);
});

test("the list of Gemini has the window as the limit of the input", async () => {
	using server = await serve((_, response) =>
		response.end(JSON.stringify({ models: [{ name: "models/gemini-x", inputTokenLimit: 1_048_576 }] })),
	);
	const { model } = modelAt(server.baseUrl, "google");
	await model.settled?.(signal, "gemini-x");
	expect(model.windowOf?.("gemini-x")).toBe(1_048_576);
});

test("the list is not requested for a known model, and not repeated at once after a failure", async () => {
	using server = await serve((_, response) => response.writeHead(500).end());
	const { model, clock } = modelAt(server.baseUrl);
	await model.settled?.(signal, "known");
	expect(server.requested()).toBe(0);
	await model.settled?.(signal, "m");
	await model.settled?.(signal, "m");
	expect(server.requested()).toBe(1);
	clock.advance(60 * 1000);
	await model.settled?.(signal, "m");
	expect(server.requested()).toBe(2);
});

test("a list is read again after an hour without a wait, and after a minute for a model that it does not have", async () => {
	let window = 8_192;
	let names = ["m"];
	using server = await serve((_, response) =>
		response.end(JSON.stringify({ data: names.map((id) => ({ id, max_model_len: window })) })),
	);
	const { model, clock } = modelAt(server.baseUrl);
	await model.settled?.(signal, "m");
	clock.advance(59 * 60 * 1000);
	await model.settled?.(signal, "m");
	expect([server.requested(), model.windowOf?.("m")]).toEqual([1, 8_192]);
	// The operator starts the server again with a larger window.
	window = 65_536;
	clock.advance(60 * 1000);
	await model.settled?.(signal, "m");
	// A request to a model without a known window waits for the running request for the list.
	await model.settled?.(signal, "n");
	expect([server.requested(), model.windowOf?.("m"), model.windowOf?.("n")]).toEqual([2, 65_536, undefined]);
	names = ["m", "n"];
	await model.settled?.(signal, "n");
	expect(server.requested()).toBe(2);
	clock.advance(60 * 1000);
	await model.settled?.(signal, "n");
	expect([server.requested(), model.windowOf?.("n")]).toEqual([3, 65_536]);
});

test("a failed request for a newer list keeps the known windows", async () => {
	let fails = false;
	using server = await serve((_, response) =>
		fails
			? response.writeHead(500).end()
			: response.end(JSON.stringify({ data: [{ id: "m", max_model_len: 8_192 }] })),
	);
	const { model, clock } = modelAt(server.baseUrl);
	await model.settled?.(signal, "m");
	fails = true;
	clock.advance(60 * 60 * 1000);
	await model.settled?.(signal, "m");
	await model.settled?.(signal, "other");
	expect([server.requested(), model.windowOf?.("m")]).toEqual([2, 8_192]);
});

test("a cancelled run does not wait for the list", async () => {
	using server = await serve(() => undefined);
	const { model } = modelAt(server.baseUrl);
	const giveUp = new AbortController();
	const settled = model.settled?.(giveUp.signal, "m");
	giveUp.abort();
	await expect(settled).resolves.toBeUndefined();
});
