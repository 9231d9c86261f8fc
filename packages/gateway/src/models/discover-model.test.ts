import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { expect, test } from "vitest";
import { serveHttp } from "../testing/serve-http.ts";
import { discoverModel } from "./discover-model.ts";

function listing(...ids: readonly string[]): RequestListener {
	return (_, response) => response.end(JSON.stringify({ object: "list", data: ids.map((id) => ({ id })) }));
}

test("the only model of a server is used, and the request for the list of models has the key", async () => {
	const received: { url: string | undefined; headers: IncomingHttpHeaders }[] = [];
	await using server = await serveHttp((request, response) => {
		received.push({ url: request.url, headers: request.headers });
		response.end('{"data":[{"id":"gemma.gguf","created":1}],"models":[]}');
	});
	const { baseUrl } = server;
	await expect(discoverModel({ baseUrl, apiKey: "secret" }, undefined)).resolves.toEqual({
		name: "gemma.gguf",
		served: ["gemma.gguf"],
	});
	await expect(discoverModel({ baseUrl }, "other")).resolves.toMatchObject({ name: "gemma.gguf" });
	expect(received.map(({ url }) => url)).toEqual(["/v1/models", "/v1/models"]);
	expect(received[0]?.headers).toMatchObject({ authorization: "Bearer secret", "x-api-key": "secret" });
	expect(received[1]?.headers).not.toHaveProperty("authorization");
});

test("among several models the preferred one is used", async () => {
	await using server = await serveHttp(listing("a", "claude", "b"));
	await expect(discoverModel(server, "claude")).resolves.toEqual({
		name: "claude",
		served: ["a", "claude", "b"],
	});
});

test("several models without a preference require a choice", async () => {
	await using server = await serveHttp(listing("a", "b"));
	await expect(discoverModel(server, "claude")).rejects.toMatchObject({
		code: "failed_precondition",
		message: `${server.baseUrl}/v1/models lists 2 models: a, b; name the model with --model`,
	});
	await using many = await serveHttp(listing(...Array.from({ length: 300 }, (_, n) => `m${n}`)));
	await expect(discoverModel(many, undefined)).rejects.toThrow(
		/lists 300 models: m0, .*, m9, …; name the model/,
	);
});

test.each<[string, RequestListener]>([
	["lists no models", listing()],
	["answered 404", (_, response) => response.writeHead(404).end("not found")],
	["returned no list of models", (_, response) => response.end("<html>")],
	["returned no list of models", (_, response) => response.end('{"data":{}}')],
	["more than 8388608 bytes", (_, response) => response.end(" ".repeat(8_388_609))],
])("a server that %s is refused with advice", async (reason, listener) => {
	await using server = await serveHttp(listener);
	await expect(discoverModel(server, "claude")).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringMatching(new RegExp(`${RegExp.escape(reason)}; name the model with --model$`)),
	});
});

test.each<[string, RequestListener]>([
	[
		"cannot be reached: it answered with a redirect; check the address and the server",
		(_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
	],
	[
		"cannot be reached: the connection was closed (UND_ERR_SOCKET); check the address and the server",
		(_, response) => response.socket?.destroy(),
	],
	["does not accept the key (401); check LAB_KEY", (_, response) => response.writeHead(401).end()],
	["does not accept the key (403); check LAB_KEY", (_, response) => response.writeHead(403).end()],
])("a server that %s is named with the reason", async (words, listener) => {
	await using server = await serveHttp(listener);
	const lab = { baseUrl: server.baseUrl, apiKey: "secret", keyName: "LAB_KEY" };
	await expect(discoverModel(lab, undefined)).rejects.toMatchObject({
		code: "failed_precondition",
		message: `${server.baseUrl}/v1/models ${words}`,
	});
});

test("a server that is not running refuses the connection, and one that requires a key names its variable", async () => {
	const closed = await serveHttp(() => undefined);
	await closed[Symbol.asyncDispose]();
	await expect(discoverModel(closed, undefined)).rejects.toThrow(
		`${closed.baseUrl}/v1/models cannot be reached: connection refused (ECONNREFUSED); check the address`,
	);
	await expect(discoverModel({ baseUrl: "http://127.0.0.1:1" }, undefined)).rejects.toThrow(
		"cannot be reached: the HTTP client does not allow this port; check the address",
	);
	await using server = await serveHttp((_, response) => response.writeHead(401).end());
	const keyless = { baseUrl: server.baseUrl, keyName: "LAB_KEY" };
	await expect(discoverModel(keyless, undefined)).rejects.toThrow(/requires a key \(401\); set LAB_KEY$/);
});
