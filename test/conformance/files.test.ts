import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import { parseJson } from "@parley/base";
import { UploadedFile } from "@parley/protocol";
import { afterAll, beforeAll, expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says } from "../simulators/anthropic/reply.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const mebibyte = 1024 * 1024;
const png = Buffer.from(
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
	"base64",
);

let gateway: TestGateway;
beforeAll(async () => {
	gateway = await TestGateway.start();
});
afterAll(() => gateway[Symbol.asyncDispose]());

async function upload(
	to: TestGateway,
	name: string,
	body: string | Uint8Array<ArrayBuffer>,
): Promise<UploadedFile> {
	const path = `/api/files?name=${encodeURIComponent(name)}`;
	const response = await fetch(to.url + path, { method: "POST", body });
	expect(response.status).toBe(201);
	return UploadedFile.parse(await response.json());
}

verifiesOn(
	"ozzie",
	["file.upload", "file.download"],
	"a file is stored and returned in a form that no browser runs",
	async () => {
		const page = "<script>alert(1)</script>";
		const file = await upload(gateway, "../../evil\u202Elmth.html", page);
		expect(file).toMatchObject({ name: "evillmth.html", type: "text/plain", bytes: page.length });
		const back = await fetch(gateway.url + file.url);
		expect(await back.text()).toBe(page);
		expect(back.headers.get("content-type")).toBe("text/plain; charset=utf-8");
		expect(back.headers.get("content-disposition")).toBe("attachment; filename=evillmth.html");
		expect(back.headers.get("x-content-type-options")).toBe("nosniff");
		expect(back.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
		const part = await fetch(gateway.url + file.url, { headers: { range: "bytes=1-6" } });
		expect([part.status, await part.text()]).toEqual([206, "script"]);
	},
);

verifiesOn("ozzie", ["file.limits"], "stored files have a limit of size and of age", async () => {
	const files = { maxBytes: 100, quotaBytes: 5_000, retentionMs: -1 };
	await using small = await TestGateway.start({ config: { files } });
	const post = async (body: string | Uint8Array<ArrayBuffer>) => {
		const response = await fetch(`${small.url}/api/files`, { method: "POST", body });
		return [response.status, await response.text()];
	};
	expect(await post("x".repeat(101))).toEqual([413, expect.stringContaining("larger than 100 bytes")]);
	const { url } = await upload(small, "a", "x".repeat(100));
	// Each file counts as at least 4 KiB, so the second file exceeds the quota.
	expect(await post("x")).toEqual([507, expect.stringContaining("the quota of all files is 5000 bytes")]);
	expect((await fetch(small.url + url)).status).toBe(404);
	await small.restart();
	await upload(small, "b", "x".repeat(100));
	expect(await readdir(small.path("data", "files"))).toHaveLength(1);
});

verifiesOn("ozzie", ["file.streamed"], "a large file is on the disk soon after it was sent", async () => {
	const size = 30 * mebibyte;
	const piece = Buffer.alloc(mebibyte / 4, "0123456789abcdef");
	const { hostname, port } = new URL(gateway.url);
	const path = "/api/files?name=large.txt";
	const request = httpRequest({ hostname, port, path, method: "POST", headers: { "content-length": size } });
	const answered = once(request, "response");
	const written = async (): Promise<number> => {
		const names = await readdir(gateway.path("data", "files"));
		const part = names.find((name) => name.endsWith(".part"));
		return part === undefined ? 0 : (await stat(gateway.path("data", "files", part))).size;
	};
	let ahead = 0;
	for (let sent = 0; sent < size; sent += piece.length) {
		if (!request.write(piece)) await once(request, "drain");
		ahead = Math.max(ahead, sent - (await written()));
	}
	request.end();
	const [response] = await answered;
	const { url, bytes, type } = UploadedFile.parse(parseJson(await text(response)));
	expect([bytes, type]).toEqual([size, "text/plain"]);
	// Socket buffers contain at most a few mebibytes. If the gateway buffered the complete body, the client could send
	// all of it before the first write to disk.
	expect(ahead).toBeLessThan(20 * mebibyte);
	const back = await fetch(gateway.url + url);
	expect((await back.arrayBuffer()).byteLength).toBe(size);
});

verifiesOn(
	"ozzie",
	["file.checked"],
	"callers without a token and pages of other origins are refused",
	async () => {
		await using guarded = await TestGateway.start({ config: { auth: "token" } });
		for (const [path, method] of [
			["/api/files?name=a", "POST"],
			["/api/files/file_x", "GET"],
		] as const) {
			const ask = async (headers: Record<string, string>) => {
				const body = method === "POST" ? { body: "x" } : {};
				return (await fetch(guarded.url + path, { method, headers, ...body })).status;
			};
			expect(await ask({})).toBe(401);
			expect(await ask({ authorization: "Bearer gw_wrong" })).toBe(401);
			expect(await ask({ origin: "https://evil.example" })).toBe(403);
		}
		expect(await readdir(guarded.path("data"))).not.toContain("files");
	},
);

verifiesOn(
	"ozzie",
	["file.attached"],
	"an image is sent to the model, and other files are in the working directory",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.script(says("a tiny image"), says("still there"));
		const { apiKey, url: baseUrl } = fake;
		const provider = { provider: "anthropic", apiKey, baseUrl, model: "claude-sonnet-5-5" } as const;
		await using seeing = await TestGateway.start({ config: provider });
		await using client = await OzzieClient.connect(seeing.url);
		const photo = await upload(seeing, "photo.png", png);
		const report = await upload(seeing, "report.pdf", "%PDF-1.7\n");
		await client.open();
		const attachments = [photo.file_id, report.file_id];
		await client.call("send_message", { content: "look", attachments });
		const { payload } = await client.event("user.message");
		expect(payload["attachments"]).toEqual([
			{ file_id: photo.file_id, name: "photo.png", type: "image/png", bytes: png.length, url: photo.url },
			{ file_id: report.file_id, name: "report.pdf", type: "application/pdf", bytes: 9, url: report.url },
		]);
		expect((await client.event("assistant.message")).payload).toMatchObject({ content: "a tiny image" });
		const content = fake.requests[0]?.body.messages[0]?.content;
		const received = `look\n\n[attached: photo.png, image/png, ${png.length} bytes]\n[attached: attachments/report.pdf, application/pdf, 9 bytes]`;
		expect(content).toMatchObject([
			{ type: "image", source: { type: "base64", media_type: "image/png", data: png.toString("base64") } },
			{ type: "text", text: received },
		]);
		expect(await readFile(seeing.path("work", "attachments", "report.pdf"), "utf8")).toBe("%PDF-1.7\n");
		await client.call("send_message", { content: "and now?" });
		expect((await client.event("assistant.message")).payload).toMatchObject({ content: "still there" });
		// The second request reuses the cached prefix of the first request.
		expect(fake.requests[1]?.usage?.cache_read_input_tokens).toBeGreaterThan(0);
	},
);

verifiesOn("ozzie", ["file.unknown"], "a message with an unknown file is refused", async () => {
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const { file_id } = await upload(gateway, "a", "a");
	for (const id of ["file_x", "../parley.sqlite"]) {
		expect(await client.refusal("send_message", { content: "hi", attachments: [file_id, id] })).toBe(
			`invalid params: attachments: file not found: ${id}; check the id, or upload the file again`,
		);
	}
	expect(
		await client.refusal("send_message", { content: "hi", attachments: Array(21).fill(file_id) }),
	).toMatch(/^invalid params: attachments/);
	await client.call("send_message", { content: "say: all is well", attachments: [file_id] });
	await client.event("user.message", { content: "say: all is well" });
});

verifiesOn(
	"ozzie",
	["file.created", "file.gone"],
	"the model sends a file, which is deleted with its session",
	async () => {
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		await writeFile(gateway.path("work", "report.txt"), "figures");
		const content = 'tool: send_file {"path": "report.txt"}';
		const { run_id } = await client.call("send_message", { content });
		await client.event("tool.call", { status: "started" });
		const { payload, seq, transient } = await client.event("file.created");
		expect(payload).toEqual({
			...{ file_id: expect.stringMatching(/^file_[0-9a-z]{32}$/), name: "report.txt", type: "text/plain" },
			...{ bytes: 7, url: `/api/files/${payload["file_id"]}`, run_id, call_id: expect.any(String) },
		});
		expect([seq > 0, transient]).toEqual([true, undefined]);
		await client.event("tool.call", { status: "completed", call_id: payload["call_id"] });
		await client.event("assistant.message");
		const url = gateway.url + String(payload["url"]);
		expect(await (await fetch(url)).text()).toBe("figures");
		await client.call("delete_session", { session_id: session });
		expect((await fetch(url)).status).toBe(404);
		expect(await readdir(gateway.path("data", "files"))).not.toContain(payload["file_id"]);
	},
);
