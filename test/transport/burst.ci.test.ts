import { mkdtemp, realpath, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { choosePort, GatewayProcess } from "../gateway-process.ts";

const BURST = 1_500;

/** Returns the first line of the response, or the error code of a failed connection. */
function ask(port: number): Promise<string> {
	const { promise, resolve } = Promise.withResolvers<string>();
	const socket: Socket = connect(port, "127.0.0.1");
	let text = "";
	socket.setEncoding("latin1");
	socket.on("data", (chunk) => {
		text += chunk;
	});
	socket.on("error", (error) => resolve("code" in error ? String(error.code) : error.message));
	socket.on("close", () => resolve(text.split("\r\n")[0] ?? ""));
	socket.write(`GET /api/sessions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
	return promise;
}

test("connections at the same time all get a response", async () => {
	const directory = await realpath(await mkdtemp(join(tmpdir(), "parley-burst-")));
	const port = await choosePort();
	const gateway = new GatewayProcess({ port, data: join(directory, "data"), root: directory });
	expect(await gateway.ready).toBe(true);
	const outcomes = await Promise.all(Array.from({ length: BURST }, () => ask(port)));
	const counts = Object.groupBy(outcomes, (outcome) => outcome);
	expect(Object.keys(counts)).toEqual(["HTTP/1.1 200 OK"]);
	gateway.kill("SIGTERM");
	await gateway.exited;
	await rm(directory, { recursive: true });
});
