import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { RestAnswers } from "./rest-answers.ts";

interface Seen {
	readonly request: IncomingMessage;
	readonly body: string;
}

async function place(reply: (response: ServerResponse, path: string) => void) {
	const seen: Seen[] = [];
	const server = createServer(async (request, response) => {
		const body = (await request.toArray()).join("");
		seen.push({ request, body });
		reply(response, request.url ?? "");
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	// `address()` returns an address with a port, because the server listens on TCP.
	const { port } = server.address() as AddressInfo;
	const rest = new RestAnswers("canary", `http://127.0.0.1:${port}/api`);
	onTestFinished(() => {
		rest.close();
		server.closeAllConnections();
		server.close();
	});
	return { rest, seen };
}

function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
	response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

test.each([200, 201, 400, 401, 403, 404, 409, 429, 500, 503])(
	"a response with the status %i is passed on unchanged, after one request",
	async (status) => {
		const { rest, seen } = await place((response) => json(response, status, { code: 7 }, { "x-trace": "a" }));
		const answer = await rest.request({ method: "GET", path: "/channels/1" });
		expect(answer).toMatchObject({ status, body: { code: 7 } });
		expect(answer.headers["x-trace"]).toBe("a");
		expect(seen).toHaveLength(1);
	},
);

test("a redirect is a response like any other: its location is not requested", async () => {
	const { rest, seen } = await place((response) => {
		response.writeHead(302, { location: "/api/v10/elsewhere" }).end();
	});
	const answer = await rest.request({ method: "POST", path: "/channels/1/messages", body: {} });
	expect(answer).toMatchObject({ status: 302, headers: { location: "/api/v10/elsewhere" } });
	expect(seen).toHaveLength(1);
});

test("after a global rate limit no other route is requested", async () => {
	const limited = { "retry-after": "30", "x-ratelimit-global": "true", "x-ratelimit-scope": "global" };
	const { rest, seen } = await place((response) => json(response, 429, { global: true }, limited));
	await rest.request({ method: "POST", path: "/channels/1/messages", body: {} });
	const other = await rest.request({ method: "GET", path: "/users/@me" });
	expect(seen).toHaveLength(1);
	expect(other).toMatchObject({ status: 429, body: { global: true } });
	expect(other.headers).toMatchObject({ "x-ratelimit-global": "true", "x-ratelimit-scope": "global" });
	expect(Number(other.headers["retry-after"])).toBeGreaterThan(25);
});

test("the token is sent with a request, also after it was refused, but not with requests that have their own token", async () => {
	const { rest, seen } = await place((response) => json(response, 401, { code: 0 }));
	await rest.request({ method: "GET", path: "/users/@me" });
	await rest.request({ method: "GET", path: "/users/@me", query: { a: "b c" } });
	await rest.request({
		method: "POST",
		path: "/webhooks/1/secret",
		authorized: false,
		body: { content: "hi" },
	});
	expect(seen.map(({ request: { url, headers } }) => [url, headers.authorization])).toEqual([
		["/api/v10/users/@me", "Bot canary"],
		["/api/v10/users/@me?a=b+c", "Bot canary"],
		["/api/v10/webhooks/1/secret", undefined],
	]);
	expect(seen.at(-1)?.body).toBe('{"content":"hi"}');
});

test("files are sent as parts, in addition to the body as JSON", async () => {
	const { rest, seen } = await place((response) => json(response, 200, {}));
	const files = [
		{ name: "a.txt", bytes: Buffer.from("one") },
		{ name: "ü.md", bytes: Buffer.from("two") },
	];
	await rest.request({ method: "POST", path: "/channels/1/messages", body: { content: "hi" }, files });
	const body = seen[0]?.body ?? "";
	expect(seen[0]?.request.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
	expect(body).toMatch(/name="files\[0\]"; filename="a.txt"[\s\S]*\r\n\r\none\r\n/);
	expect(body).toMatch(/name="files\[1\]"; filename="ü.md"[\s\S]*\r\n\r\ntwo\r\n/);
	expect(body).toMatch(/name="payload_json"\r\n\r\n\{"content":"hi"\}\r\n/);
});

test("a bucket that is known to be empty gets no request: the response equals that of Discord", async () => {
	const empty = {
		...{ "x-ratelimit-bucket": "b", "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0" },
		"x-ratelimit-reset-after": "30",
	};
	const { rest, seen } = await place((response) => json(response, 200, {}, empty));
	const ask = () => rest.request({ method: "POST", path: "/channels/123456789012345678/messages", body: {} });
	await ask();
	// discord.js learns the bucket's name from the first response, and its remaining requests from the second.
	await ask();
	const stored = await ask();
	expect(seen).toHaveLength(2);
	expect(stored).toMatchObject({ status: 429, body: { global: false } });
	expect(Number(stored.headers["retry-after"])).toBeGreaterThan(25);
	expect(stored.headers["x-ratelimit-scope"]).toBe("user");
});

test("a response that is not JSON, or empty, has no body", async () => {
	const { rest } = await place((response, path) => {
		if (path.endsWith("/html")) response.writeHead(502, { "content-type": "text/html" }).end("<html>");
		else response.writeHead(204).end();
	});
	expect(await rest.request({ method: "GET", path: "/html" })).toMatchObject({ status: 502, body: null });
	expect(await rest.request({ method: "DELETE", path: "/empty" })).toMatchObject({ status: 204, body: null });
});

test("a request without a response rejects once, and its error does not contain the token of the path", async () => {
	const { rest, seen } = await place((response) => response.destroy());
	const lost = rest.request({ method: "POST", path: "/interactions/1/secret/callback", body: {} });
	await expect(lost).rejects.toMatchObject({
		code: "unavailable",
		message: "Discord did not answer POST /interactions/1/…/callback",
	});
	expect(seen).toHaveLength(1);
});

test("an answer with invalid JSON rejects, because the result of the request is unknown", async () => {
	const { rest } = await place((response) => {
		response.writeHead(200, { "content-type": "application/json" }).end('{"id":');
	});
	await expect(rest.request({ method: "POST", path: "/channels/1/messages" })).rejects.toThrow();
});
