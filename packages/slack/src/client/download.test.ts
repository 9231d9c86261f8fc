import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { download } from "./download.ts";

test.each([
	[400, "failed_precondition"],
	[401, "failed_precondition"],
	[404, "not_found"],
	[429, "unavailable"],
	[503, "unavailable"],
])("after a status of %i the file is retried only if that may help", async (status, code) => {
	const server = createServer((_request, response) => response.writeHead(status).end());
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	// `address()` returns an address with a port, because the server listens on TCP.
	const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
	const url = new URL("/files-pri/T1-F1/a.txt", apiUrl).href;
	const read = download({ url, token: "xoxb-1", maximum: 10, signal: new AbortController().signal, apiUrl });
	await expect(read).rejects.toMatchObject({ code });
});
