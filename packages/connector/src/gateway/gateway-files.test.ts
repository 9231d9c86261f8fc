import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { openGatewayFiles, type PastEvent } from "./gateway-files.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function gatewayThat(answers: Answer) {
	const requests: { line: string; authorization: string | undefined; key: unknown; body: string }[] = [];
	const server = createServer(async (request, response) => {
		const { method = "", url = "", headers } = request;
		const body = (await buffer(request)).toString();
		const { authorization, "idempotency-key": key } = headers;
		requests.push({ line: `${method} ${url}`, authorization, key, body });
		answers(request, response);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	onTestFinished(() => void server.close());
	const { port } = server.address() as AddressInfo;
	return {
		requests,
		files: openGatewayFiles({ url: `ws://127.0.0.1:${port}/api/ws`, token: "gw_connector_1" }),
	};
}

const { signal } = new AbortController();
const answer =
	(status: number, body: unknown): Answer =>
	(_request, response) =>
		void response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));

test("a file is uploaded with the token, its name and its key", async () => {
	const stored = {
		file_id: "file_1",
		name: "ä b.txt",
		type: "text/plain",
		bytes: 3,
		url: "/api/files/file_1",
	};
	const { requests, files } = await gatewayThat(answer(201, { ...stored, sha256: "…", expires_at: "…" }));
	const file = { name: "ä b.txt", bytes: Buffer.from("abc"), key: "k1", signal };
	expect(await files.upload(file)).toBe("file_1");
	expect(requests).toEqual([
		{
			line: "POST /api/files?name=%C3%A4%20b.txt",
			authorization: "Bearer gw_connector_1",
			key: "k1",
			body: "abc",
		},
	]);
});

test.each(["nonsense", {}])("the invalid response %j is an error that names the gateway", async (body) => {
	const { files } = await gatewayThat((request, response) =>
		answer(request.method === "POST" ? 201 : 200, body)(request, response),
	);
	const invalid = /^the gateway at 127\.0\.0\.1:\d+ sent an invalid response/;
	const file = { name: "a.txt", bytes: Buffer.from("abc"), key: "k1", signal };
	await expect(files.upload(file)).rejects.toThrow(invalid);
	await expect(files.moments("sess_1", 0, signal)).rejects.toThrow(invalid);
	await expect(files.events("sess_1", signal)[Symbol.asyncIterator]().next()).rejects.toThrow(invalid);
});

test("a file is downloaded up to a limit", async () => {
	const { requests, files } = await gatewayThat(answer(200, "0123456789"));
	expect((await files.download("file_1", 10, signal)).toString()).toBe("0123456789");
	expect(requests[0]?.line).toBe("GET /api/files/file_1");
	await expect(files.download("file_1", 9, signal)).rejects.toMatchObject({ code: "resource_exhausted" });
});

test("the times of events are read from the history", async () => {
	const events = [{ seq: 3, timestamp: "2026-01-01T00:00:01Z" }, { seq: 4 }];
	const { requests, files } = await gatewayThat(answer(200, events));
	expect(await files.moments("sess_1", 2, signal)).toEqual(new Map([[3, Date.UTC(2026, 0, 1, 0, 0, 1)]]));
	expect(requests[0]?.line).toBe("GET /api/events?session=sess_1&after=2&limit=1000");
});

test.each([
	[404, { error: "file not found: file_1" }, "not_found", "file not found: file_1"],
	[403, { error: "forbidden" }, "permission_denied", "forbidden"],
	[413, { error: "too large" }, "invalid_argument", "too large"],
	[502, "<html>", "unavailable", "did not complete the request: it answered with status 502"],
])("the status %d is a refusal with the words of the gateway", async (status, body, code, words) => {
	const { files } = await gatewayThat(answer(status, body));
	await expect(files.download("file_1", 100, signal)).rejects.toMatchObject({
		code,
		message: expect.stringContaining(words),
	});
});

test("a gateway that does not answer is unavailable, and a cancelled wait rejects", async () => {
	const { files } = await gatewayThat((request) => void request.socket.destroy());
	await expect(files.download("file_1", 100, signal)).rejects.toMatchObject({ code: "unavailable" });
	const silent = await gatewayThat(() => undefined);
	const stopping = new AbortController();
	const waiting = silent.files.download("file_1", 100, stopping.signal);
	stopping.abort();
	await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
});

test("all events of a session are read in pages, without events of later versions", async () => {
	const event = (seq: number, type: string, payload: object) => {
		return { id: "e", session_id: "s", type, seq, timestamp: "2026-01-01T00:00:00Z", payload };
	};
	const pages = [
		[event(1, "session.created", {}), event(2, "event.of.tomorrow", {})],
		[event(3, "user.message", { content: "one", run_id: "r" })],
		[],
	];
	const { files, requests } = await gatewayThat((request, response) =>
		answer(200, pages.shift())(request, response),
	);
	const events: PastEvent[] = [];
	const soFar: number[] = [];
	for await (const event of files.events("s", signal)) {
		events.push(event);
		soFar.push(requests.length);
	}
	expect(soFar).toEqual([1, 2]);
	expect(events).toMatchObject([
		{ event: { event: "session.created", seq: 1 }, at: Date.UTC(2026, 0, 1) },
		{ event: { event: "user.message", payload: { content: "one" } } },
	]);
	expect(requests.map(({ line }) => /after=(\d+)/.exec(line)?.[1])).toEqual(["0", "2", "3"]);
});
