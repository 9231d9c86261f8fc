import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { systemClock } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import { createAnthropicModel, ModelTable } from "@parley/core";
import { expect, test } from "vitest";
import { choosePort } from "../../gateway-process.ts";
import { FakeLlama } from "./fake-llama.ts";

// The shapes come from https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md

async function start(more: { delaysLoading?: boolean } = {}) {
	const port = await choosePort();
	const fake = await FakeLlama.start({
		...{ host: "127.0.0.1", port, alias: "tiny", contextSize: 4096, isFirst: true },
		...{ delaysLoading: false, exit: () => undefined, ...more },
	});
	const url = `http://127.0.0.1:${port}`;
	const ask = async (path: string, body?: object) => {
		const sent = body ? { method: "POST", body: JSON.stringify(body) } : {};
		const response = await fetch(`${url}${path}`, sent);
		return { status: response.status, body: await response.json() };
	};
	return { url, ask, [Symbol.asyncDispose]: () => fake.close() };
}

test("a server that loads its model answers 503 with the documented body, and its health afterwards", async () => {
	await using server = await start({ delaysLoading: true });
	const loading = { error: { code: 503, message: "Loading model", type: "unavailable_error" } };
	expect(await server.ask("/health")).toEqual({ status: 503, body: loading });
	expect(await server.ask("/tokenize", { content: "x" })).toEqual({ status: 503, body: loading });
	await server.ask("/fake/loaded");
	expect(await server.ask("/health")).toEqual({ status: 200, body: { status: "ok" } });
});

test("a text is tokenized to ids, or to ids with pieces", async () => {
	await using server = await start();
	expect(await server.ask("/tokenize", { content: "Hello world!" })).toEqual({
		...{ status: 200, body: { tokens: [0, 1, 2] } },
	});
	expect(await server.ask("/tokenize", { content: "Hello", with_pieces: true })).toEqual({
		...{ status: 200, body: { tokens: [{ id: 0, piece: "?" }] } },
	});
	expect(await server.ask("/tokenize", {})).toMatchObject({ status: 400 });
});

test("the properties name the context window, and the list its one model", async () => {
	await using server = await start();
	expect(await server.ask("/props")).toMatchObject({
		status: 200,
		body: { default_generation_settings: { n_ctx: 4096 }, total_slots: 1, model_path: "model.gguf" },
	});
	expect(await server.ask("/v1/models")).toMatchObject({ body: { object: "list", data: [{ id: "tiny" }] } });
});

test("messages are sent complete, or as the stream that the official SDK reads", async () => {
	await using server = await start();
	const messages = [{ role: "user", content: "Hello!" }];
	expect(await server.ask("/v1/messages", { model: "m", max_tokens: 9, messages })).toMatchObject({
		status: 200,
		body: {
			...{ type: "message", role: "assistant", model: "m", stop_reason: "end_turn" },
			content: [{ type: "text", text: "You said: Hello!" }],
			usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
		},
	});
	const model = createAnthropicModel({
		...{ apiKey: undefined, baseUrl: server.url, table: new ModelTable(), defaultModel: "m" },
		...{ clock: systemClock, log: new MemoryLogger() },
	});
	const request = {
		...{ model: "m", system: "", tools: [] },
		messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello!" }] }],
	};
	const events = await Array.fromAsync(model.stream(request, new AbortController().signal));
	expect(events.flatMap((event) => (event.type === "text" ? [event.text] : [])).join("")).toBe(
		"You said: Hello!",
	);
	expect(events.at(-1)).toMatchObject({ type: "end", stop: "end_turn" });
});

test("the program ends with 0 on SIGTERM, and with 1 if it cannot listen", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-llama-"));
	const port = String(await choosePort());
	const program = fileURLToPath(new URL("./llama-server.ts", import.meta.url));
	const run = () =>
		spawn(process.execPath, [program, "--port", port], {
			...{ cwd: directory.path, stdio: ["ignore", "ignore", "pipe"] },
		});
	const first = run();
	await once(first.stderr, "data");
	const second = run();
	const output = text(second.stderr);
	expect(await once(second, "exit")).toEqual([1, null]);
	expect(await output).toContain("couldn't bind HTTP server socket, hostname: 127.0.0.1");
	first.kill("SIGTERM");
	expect(await once(first, "exit")).toEqual([0, null]);
});
