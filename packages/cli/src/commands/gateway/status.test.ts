import { once } from "node:events";
import { mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds } from "@parley/base";
import { loadOrCreateOperatorToken } from "@parley/gateway";
import { expect, test } from "vitest";
import { run } from "../../run.ts";
import { CapturedIo } from "../../testing/captured-io.ts";

test("does not send PARLEY_TOKEN to the gateway of the data directory if PARLEY_URL is set", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-cli-status-"));
	const data = directory.path;
	const token = await loadOrCreateOperatorToken(data, createIds());
	const shown: (string | undefined)[] = [];
	const server = createServer((request, response) => {
		shown.push(request.headers.authorization);
		response.end('{"status":"ok"}');
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	// A server that listens on a port has an address of this form.
	const { port } = server.address() as AddressInfo;
	const facts = { pid: process.pid, urls: [`http://127.0.0.1:${port}`], version: "1" };
	await mkdir(join(data, "run"));
	await writeFile(
		join(data, "run", "gateway.json"),
		JSON.stringify({ ...facts, startedAt: "2026-01-01T00:00:00Z" }),
	);
	const ask = async (environment: NodeJS.ProcessEnv): Promise<unknown> => {
		await run(["status", "--json"], new CapturedIo({ PARLEY_DATA: data, ...environment }));
		return new Set(shown.splice(0));
	};
	try {
		const far = { PARLEY_URL: "https://far.example", PARLEY_TOKEN: "far" };
		expect(await ask(far)).toEqual(new Set([undefined, `Bearer ${token}`]));
		expect(await ask({ PARLEY_TOKEN: "given" })).toEqual(new Set([undefined, "Bearer given"]));
	} finally {
		server.closeAllConnections();
		server.close();
	}
});
