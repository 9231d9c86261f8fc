import { once } from "node:events";
import { readdir, stat, truncate } from "node:fs/promises";
import { type ClientRequest, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { parseJson } from "@parley/base";
import { MemoryLogger } from "@parley/base/testing";
import type { Principal } from "@parley/core";
import { operator } from "@parley/core";
import { ScriptedModel, TestRuntime } from "@parley/core/testing";
import { UploadedFile } from "@parley/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { UploadCounts } from "../../../metrics/client-metrics.ts";
import { MetricRecorder } from "../../../metrics/recorder.ts";
import { metricValues } from "../../../testing/metric-values.ts";
import { createHttpServer } from "../server.ts";

const maxBytes = 1024 * 1024;
let t: TestRuntime;
let server: Server;
let principal: Principal;
let recorder: MetricRecorder;
let uploads: UploadCounts;

beforeEach(async () => {
	recorder = new MetricRecorder(new MemoryLogger());
	uploads = new UploadCounts(recorder);
	principal = operator;
	t = await TestRuntime.open({ model: new ScriptedModel(), files: { maxBytes, quotaBytes: 3 * maxBytes } });
	server = createHttpServer({
		api: { runtime: t.runtime, health: { status: () => "ok", report: async () => ({}) } },
		rules: { allowedHosts: [] },
		authenticate: async () => ({ principal }),
		log: t.log,
		clock: t.clock,
		uploads,
		settled: () => undefined,
		onWebSocket: (_request, socket) => socket.destroy(),
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
});
afterEach(async () => {
	server.closeAllConnections();
	server.close();
	await once(server, "close");
	await t[Symbol.asyncDispose]();
});

// The cast is safe because the server listens on a port.
const port = (): number => (server.address() as AddressInfo).port;
const stored = (): Promise<string[]> => readdir(join(t.directory, "data", "files")).catch(() => []);

function send(path: string, init: RequestInit = {}): Promise<Response> {
	return fetch(`http://127.0.0.1:${port()}${path}`, init);
}

function begin(headers: Record<string, string | number>): ClientRequest {
	return httpRequest({ host: "127.0.0.1", port: port(), path: "/api/files", method: "POST", headers });
}

async function answered(
	upload: ClientRequest,
): Promise<{ readonly response: IncomingMessage; readonly text: string }> {
	const [response]: IncomingMessage[] = await once(upload, "response");
	if (!response) throw new Error("no response");
	let text = "";
	for await (const chunk of response) text += chunk;
	return { response, text };
}

async function upload(
	body: string | Uint8Array<ArrayBuffer>,
	query = "?name=a.txt",
	headers = {},
): Promise<UploadedFile> {
	const response = await send(`/api/files${query}`, { method: "POST", body, headers });
	expect(response.status).toBe(201);
	return UploadedFile.parse(await response.json());
}

test("a file sent to another spelling of the path is stored completely", async () => {
	const body = "x".repeat(100_000);
	const upload = httpRequest({ host: "127.0.0.1", port: port(), path: "/api/./files", method: "POST" });
	upload.end(body);
	const { response, text } = await answered(upload);
	expect(response.statusCode).toBe(201);
	expect(UploadedFile.parse(parseJson(text)).bytes).toBe(body.length);
});

test("a file is stored and downloaded", async () => {
	const response = await send("/api/files?name=Gr%C3%BC%C3%9Fe.txt", { method: "POST", body: "hello" });
	const file = UploadedFile.parse(await response.json());
	expect(file).toEqual({
		file_id: expect.stringMatching(/^file_/),
		name: "Grüße.txt",
		type: "text/plain",
		bytes: 5,
		sha256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
		url: `/api/files/${file.file_id}`,
		expires_at: "2026-01-08T00:00:00.000Z",
	});
	expect(response.headers.get("location")).toBe(file.url);
	const back = await send(file.url);
	expect(await back.text()).toBe("hello");
	expect(Object.fromEntries(back.headers)).toMatchObject({
		"content-type": "text/plain; charset=utf-8",
		"content-length": "5",
		"content-disposition": "attachment; filename=\"Gr??e.txt\"; filename*=UTF-8''Gr%C3%BC%C3%9Fe.txt",
		"x-content-type-options": "nosniff",
		"content-security-policy": "default-src 'none'; sandbox",
		"cache-control": "private, no-cache",
		etag: `"${file.sha256}"`,
		"accept-ranges": "bytes",
	});
	const head = await send(file.url, { method: "HEAD" });
	expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([200, "5", ""]);
});

test("the name is read from Content-Disposition, and is optional", async () => {
	const headers = { "content-disposition": `attachment; filename*=UTF-8''%E2%82%AC.txt` };
	expect((await upload("x", "", headers)).name).toBe("€.txt");
	expect((await upload("x", "?name=b.txt", headers)).name).toBe("b.txt");
	expect((await upload("x", "")).name).toBe("file");
});

test("an empty file is a file", async () => {
	const file = await upload("");
	expect(file.bytes).toBe(0);
	const back = await send(file.url);
	expect([back.status, await back.text()]).toEqual([200, ""]);
});

test.each<[string, number, string]>([
	["bytes=0-0", 206, "0"],
	["bytes=2-4", 206, "234"],
	["bytes=7-", 206, "789"],
	["bytes=-2", 206, "89"],
	["bytes=-99", 206, "0123456789"],
	["bytes=8-99", 206, "89"],
	["bytes=4-2", 200, "0123456789"],
	["bytes=-", 200, "0123456789"],
	["bytes=0-1,3-4", 200, "0123456789"],
	["lines=0-1", 200, "0123456789"],
])("a request for %s of a file has the status %i", async (range, status, text) => {
	const { url } = await upload("0123456789");
	const back = await send(url, { headers: { range } });
	expect([back.status, await back.text()]).toEqual([status, text]);
	const first = "0123456789".indexOf(text);
	const shown = status === 206 ? `bytes ${first}-${first + text.length - 1}/10` : null;
	expect(back.headers.get("content-range")).toBe(shown);
});

test("a range outside the file is refused, and a range of other content returns the complete file", async () => {
	const { url, sha256 } = await upload("0123456789");
	for (const range of ["bytes=10-", "bytes=-0"]) {
		const back = await send(url, { headers: { range } });
		expect([back.status, back.headers.get("content-range")]).toEqual([416, "bytes */10"]);
	}
	const part = async (tag: string) =>
		(await send(url, { headers: { range: "bytes=0-1", "if-range": tag } })).status;
	expect([await part(`"${sha256}"`), await part('"other"')]).toEqual([206, 200]);
});

test("a client that has the content already gets a status without content", async () => {
	const { url, sha256 } = await upload("hello");
	for (const tags of [`"${sha256}"`, `"x", W/"${sha256}"`, "*"]) {
		const back = await send(url, { headers: { "if-none-match": tags } });
		expect([back.status, await back.text()]).toEqual([304, ""]);
	}
	expect((await send(url, { headers: { "if-none-match": '"x"' } })).status).toBe(200);
});

test("files have their own methods and owners", async () => {
	const { url } = await upload("x");
	const allowed = async (path: string, method: string) => {
		const { status, headers } = await send(path, { method });
		return [status, headers.get("allow")];
	};
	expect(await allowed("/api/files", "GET")).toEqual([405, "POST"]);
	expect(await allowed(url, "DELETE")).toEqual([405, "GET, HEAD"]);
	expect(await allowed(url, "POST")).toEqual([405, "GET, HEAD"]);
	for (const id of ["", "file_x", "..%2Fparley.sqlite", "%00"]) {
		expect((await send(`/api/files/${id}`)).status, id).toBe(404);
	}
	principal = { id: "connector:discord", kind: "connector" };
	expect((await send(url)).status).toBe(404);
	principal = { id: "observer", kind: "observer" };
	expect((await send("/api/files", { method: "POST", body: "x" })).status).toBe(403);
});

test("a wrapped body is refused with the way to send it", async () => {
	const form = new FormData();
	form.set("file", new Blob(["x"]), "a.txt");
	const multipart = await send("/api/files", { method: "POST", body: form });
	expect([multipart.status, await multipart.text()]).toEqual([415, expect.stringContaining("--data-binary")]);
	const headers = { "content-encoding": "gzip" };
	expect((await send("/api/files", { method: "POST", body: "x", headers })).status).toBe(415);
	expect(await stored()).toEqual([]);
});

test("uploads with the same key are one file", async () => {
	const headers = { "idempotency-key": '"k-1"' };
	const first = await upload("same", "?name=a", headers);
	expect(await upload("same", "?name=a", { "idempotency-key": "k-1" })).toEqual(first);
	const other = await send("/api/files?name=a", { method: "POST", body: "other", headers });
	expect([other.status, await other.text()]).toEqual([400, expect.stringContaining("another request")]);
	const long = await send("/api/files", {
		method: "POST",
		body: "x",
		headers: { "idempotency-key": "k".repeat(129) },
	});
	expect(long.status).toBe(400);
	expect(await stored()).toHaveLength(1);
});

test("a file that is too large is refused by its headers, before its body is read", async () => {
	const upload = begin({ "content-length": maxBytes + 1, expect: "100-continue" });
	upload.on("continue", () => {
		throw new Error("the body was asked for");
	});
	upload.flushHeaders();
	const { response, text } = await answered(upload);
	expect([response.statusCode, response.headers.connection]).toEqual([413, "close"]);
	expect(text).toContain("larger than 1 MiB");
	upload.destroy();
});

test("a file without a length that is too large is cut off, and its client gets the reason", async () => {
	const piece = new Uint8Array(256 * 1024);
	const body = new ReadableStream({
		pull: (controller) => controller.enqueue(piece),
	});
	const init: RequestInit & { duplex: "half" } = { method: "POST", body, duplex: "half" };
	const response = await send("/api/files", init);
	expect(response.status).toBe(413);
	expect(await stored()).toEqual([]);
});

test("a client that continues to send is disconnected after a time", async () => {
	const upload = begin({ "content-length": maxBytes + 1 });
	upload.write("x");
	const [response]: IncomingMessage[] = await once(upload, "response");
	expect(response?.statusCode).toBe(413);
	const closed = once(upload, "close");
	response?.resume();
	t.clock.advance(5_000);
	await closed;
});

test("a client that waits for permission to send gets it", async () => {
	const upload = begin({ "content-length": 5, expect: "100-continue" });
	upload.flushHeaders();
	await once(upload, "continue");
	upload.end("hello");
	const { response } = await answered(upload);
	expect(response.statusCode).toBe(201);
});

test("an interrupted upload leaves no file", async () => {
	const upload = begin({ "content-length": 100 });
	upload.on("error", () => undefined);
	upload.write("half of it");
	while ((await stored()).length === 0) await tick();
	upload.destroy();
	while ((await stored()).length > 0) await tick();
	expect(await t.store.read((db) => db.selectFrom("files").selectAll().execute())).toEqual([]);
});

/** Returns the metrics by name and labels, without the common prefix. `s` is the number of running uploads. */
async function metrics(): Promise<Record<string, number>> {
	const values = Object.entries(await metricValues(recorder, "parley_upload"));
	return {
		s: uploads.running,
		...Object.fromEntries(values.map(([name, value]) => [name.replace("parley_upload", ""), value])),
	};
}

test("uploads are counted and logged, without their names", async () => {
	const { file_id: file } = await upload("hello", "?name=secret-plans.txt");
	const headers = { "content-type": "multipart/form-data; boundary=x" };
	const refused: RequestInit[] = [
		{ body: "x", headers },
		{ body: "x", headers: { "idempotency-key": "k".repeat(129) } },
		{ body: new Uint8Array(maxBytes + 1) },
	];
	for (const init of refused) await send("/api/files?name=secret-plans.txt", { method: "POST", ...init });
	principal = { id: "observer", kind: "observer" };
	await send("/api/files", { method: "POST", body: "x" });
	expect(await metrics()).toEqual({
		s: 0,
		s_kept_total: 1,
		_bytes_total: 5,
		"s_refused_total wrapped": 1,
		"s_refused_total malformed": 1,
		"s_refused_total too_large": 1,
		"s_refused_total forbidden": 1,
	});
	const logged = t.log.records.filter(({ message }) => message.startsWith("an upload"));
	const [first, ...others] = logged.map(({ level, message, fields }) => ({ level, message, ...fields }));
	const durationMs = expect.any(Number);
	expect(first).toEqual({
		level: "info",
		message: "an upload was stored",
		principal: "operator",
		bytes: 5,
		durationMs,
		file,
	});
	expect(others[0]).toEqual({
		level: "warn",
		message: "an upload was refused",
		principal: "operator",
		bytes: 0,
		durationMs,
		reason: "wrapped",
	});
	expect(others).toHaveLength(4);
	expect(JSON.stringify(logged)).not.toContain("secret");
});

test("a running upload is shown, and one whose client disconnects is reported", async () => {
	const upload = begin({ "content-length": 100 });
	upload.on("error", () => undefined);
	upload.write("half of it");
	while ((await metrics())["_bytes_total"] !== 10) await tick();
	expect(await metrics()).toMatchObject({ s: 1 });
	upload.destroy();
	while ((await metrics())["s"] !== 0) await tick();
	expect(await metrics()).toMatchObject({ "s_refused_total gone": 1, s_kept_total: 0 });
});

test("a slow upload continues while bytes arrive, and one that stops is cut off", async () => {
	const upload = begin({ "transfer-encoding": "chunked" });
	const cut = once(upload, "error");
	for (let piece = 1; piece <= 4; piece++) {
		upload.write("x".repeat(1000));
		// Waits until the piece is stored, and the timer for the next piece runs.
		while ((await sizeOfStored()) < piece * 1000) await tick();
		while (t.clock.pending === 0) await tick();
		t.clock.advance(29_999);
	}
	t.clock.advance(1);
	await cut;
	while ((await stored()).length > 0) await tick();
	while ((await metrics())["s"] !== 0) await tick();
	expect(await metrics()).toMatchObject({ "s_refused_total stalled": 1 });
});

async function sizeOfStored(): Promise<number> {
	const names = await stored();
	const sizes = await Promise.all(
		names.map(async (name) => (await stat(join(t.directory, "data", "files", name))).size),
	);
	return sizes.reduce((sum, size) => sum + size, 0);
}

test("a full store is reported, and accepts files again after a deletion", async () => {
	const content = new Uint8Array(maxBytes);
	const first = await upload(content);
	for (let n = 0; n < 2; n++) await upload(content);
	const full = await send("/api/files", { method: "POST", body: "one more" });
	expect([full.status, await full.text()]).toEqual([507, expect.stringContaining("files.quotaBytes")]);
	expect(await metrics()).toMatchObject({ "s_refused_total full": 1 });
	await t.store.commit((tx) => tx.deleteFrom("files").where("id", "=", first.file_id).execute());
	await upload("one more");
});

test("an upload is paused while the disk is busy, so that little of it is in memory", async () => {
	const pendingUpload = begin({ "content-length": maxBytes });
	const gate = Promise.withResolvers<void>();
	const original = t.runtime.files.store.bind(t.runtime.files);
	let received = 0;
	t.runtime.files.store = (who, { content, ...rest }) => {
		const slow = async function* () {
			for await (const chunk of content) {
				received += chunk.length;
				yield chunk;
				await gate.promise;
			}
		};
		return original(who, { ...rest, content: slow() });
	};
	pendingUpload.end(Buffer.alloc(maxBytes));
	while (received === 0) await tick();
	for (let turn = 0; turn < 50; turn++) await tick();
	expect(received).toBeLessThanOrEqual(128 * 1024);
	gate.resolve();
	expect((await answered(pendingUpload)).response.statusCode).toBe(201);
	expect(received).toBe(maxBytes);
});

test("a client that stops reading a file is cut off", async () => {
	const { url, file_id: id } = await upload("x");
	// The content is larger than all buffers. `truncate` creates it without writing it.
	const bytes = 64 * 1024 * 1024;
	await truncate(join(t.directory, "data", "files", id), bytes);
	await t.store.commit((tx) => tx.updateTable("files").set({ bytes }).where("id", "=", id).execute());
	const socket = connect({ host: "127.0.0.1", port: port() });
	socket.pause();
	socket.write(`GET ${url} HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\n\r\n`);
	const [accepted] = await once(server, "connection");
	while (!accepted.destroyed) {
		await tick();
		t.clock.advance(1_000);
	}
	while (t.log.records.every(({ message }) => message !== "a file could not be sent")) await tick();
	socket.destroy();
});
