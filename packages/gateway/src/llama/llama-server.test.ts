import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { LlamaServer } from "./llama-server.ts";

async function freePort(): Promise<number> {
	const server = createServer();
	const { promise, resolve } = Promise.withResolvers<void>();
	server.listen(0, "127.0.0.1", resolve);
	await promise;
	const address = server.address();
	await new Promise((closed) => server.close(closed));
	if (address === null || typeof address === "string") throw new Error("the server has no port");
	return address.port;
}

/** Opens a server whose program prints a line and then neither answers nor ends. Resolves after that line. */
async function openSilentServer() {
	const clock = new ManualClock();
	const endpoint = `http://127.0.0.1:${await freePort()}`;
	const args = ["-c", "echo 'loading tensors'; exec sleep 600"];
	const settings = { endpoint, command: "/bin/sh", args, environment: {}, autostart: true };
	const server = await LlamaServer.open({
		settings,
		currentDirectory: tmpdir(),
		clock,
		log: new MemoryLogger(),
	});
	onTestFinished(() => server.stop());
	await expect.poll(() => server.status.state).toBe("starting");
	const reason = (): string | undefined => {
		clock.advance(250);
		return server.status.reason;
	};
	await expect.poll(reason).toBe("loading tensors");
	const never = new AbortController().signal;
	return { server, clock, endpoint, ready: server.ready(never) };
}

test("after 15 minutes without a loaded model, the error says so and shows the server's last line", async () => {
	const { clock, endpoint, ready } = await openSilentServer();
	clock.advance(15 * 60_000);
	const reason = "it has not loaded its model after 15 minutes: loading tensors; use a smaller model";
	await expect(ready).rejects.toThrow(`the local model server at ${endpoint} does not answer: ${reason}`);
});

test("a request that waits for the model learns that the gateway is stopping", async () => {
	const { server, endpoint, ready } = await openSilentServer();
	const refused = expect(ready).rejects.toThrow(
		`the local model server at ${endpoint} does not answer: the gateway is stopping`,
	);
	await Promise.all([refused, server.stop()]);
});
