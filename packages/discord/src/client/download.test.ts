import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { download } from "./download.ts";

async function place(listener: RequestListener) {
	const server = createServer(listener);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	// `address()` returns an address with a port, because the server listens on TCP.
	const cdnUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const read = (path: string, maximum = 10, signal = new AbortController().signal) =>
		download({ url: `${cdnUrl}${path}`, maximum, signal, cdnUrl });
	return { read };
}

test("reads a file of the CDN, up to the limit", async () => {
	const { read } = await place((_request, response) => response.end("0123456789"));
	expect(Buffer.from(await read("/attachments/1/2/a.txt")).toString()).toBe("0123456789");
});

test("a file with a declared length above the limit is not read, and another one is read up to the limit", async () => {
	const { read } = await place((request, response) => {
		if (request.url === "/said") response.setHeader("content-length", "11");
		response.write("0123456789");
		response.end("!");
	});
	await expect(read("/said")).rejects.toMatchObject({ code: "resource_exhausted" });
	await expect(read("/unsaid")).rejects.toMatchObject({ code: "resource_exhausted" });
});

test.each([
	"http://169.254.169.254/latest/meta-data",
	"https://cdn.discordapp.com.evil.example/a",
	"http://cdn.discordapp.com/a",
	"https://cdn.discordapp.com:8443/a",
	"file:///etc/passwd",
	"nonsense",
])("%s gets no request", async (url) => {
	const refused = download({ url, maximum: 10, signal: new AbortController().signal });
	await expect(refused).rejects.toMatchObject({ code: "permission_denied" });
});

test("a redirect to another host is not followed", async () => {
	const { read } = await place((request, response) => {
		if (request.url === "/there") response.end("secret");
		else response.writeHead(302, { location: "/there" }).end();
	});
	await expect(read("/here")).rejects.toMatchObject({ code: "failed_precondition" });
});

test.each([
	[400, "failed_precondition"],
	[401, "failed_precondition"],
	[408, "unavailable"],
	[429, "unavailable"],
	[500, "unavailable"],
	[503, "unavailable"],
])("after a status of %i the file is retried only if that may help", async (status, code) => {
	const { read } = await place((_request, response) => response.writeHead(status).end());
	await expect(read("/file")).rejects.toMatchObject({ code, message: expect.stringContaining(`${status}`) });
});

test("a missing file is reported, and an interrupted download can be retried", async () => {
	const { read } = await place((request, response) => {
		if (request.url === "/gone") response.writeHead(404).end();
		else response.writeHead(200, { "content-length": "5" }).write("01", () => response.destroy());
	});
	await expect(read("/gone")).rejects.toMatchObject({ code: "not_found" });
	await expect(read("/cut")).rejects.toMatchObject({ code: "unavailable" });
});

test("reading stops when the caller cancels it", async () => {
	const controller = new AbortController();
	const { read } = await place((_request, response) => {
		response.write("0");
		controller.abort();
	});
	await expect(read("/slow", 10, controller.signal)).rejects.toMatchObject({ code: "cancelled" });
});
