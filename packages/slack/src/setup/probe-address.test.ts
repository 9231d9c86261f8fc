import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { silentLogger } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { HttpTransport } from "../client/transport/http-transport.ts";
import { probeAddress } from "./probe-address.ts";

const clock = new ManualClock();
const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5";

async function waiting(): Promise<{ readonly port: number; close(): Promise<void> }> {
	const transport = new HttpTransport({
		signingSecret,
		clock,
		log: silentLogger,
		listen: { host: "127.0.0.1", port: 0 },
		deliver: () => Promise.reject(new Error("nobody has written")),
		ready: () => undefined,
		suspected: () => undefined,
	});
	return { port: await transport.start(), close: () => transport.close() };
}

test("the connector responds like to Slack, also if it listens at all addresses", async () => {
	const receiver = await waiting();
	const check = (host: string) =>
		probeAddress({ signingSecret, listen: { host, port: receiver.port }, clock });
	expect(await check("127.0.0.1")).toEqual({ at: `127.0.0.1:${receiver.port}`, by: "connector" });
	expect(await check("0.0.0.0")).toEqual({ at: `0.0.0.0:${receiver.port}`, by: "connector" });
	await receiver.close();
});

test("another secret, another server, a closed port and an unknown port are distinguished", async () => {
	const receiver = await waiting();
	const other = createServer((_, response) => void response.end("hello"));
	await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
	// The cast is safe for a server that listens on TCP.
	const { port } = other.address() as AddressInfo;
	const by = async (secret: string, at: number) =>
		(await probeAddress({ signingSecret: secret, listen: { host: "127.0.0.1", port: at }, clock })).by;
	expect(await by("another", receiver.port)).toBe("another-secret");
	expect(await by(signingSecret, port)).toBe("another");
	expect(await by(signingSecret, 0)).toBe("unknown");
	await receiver.close();
	await new Promise((resolve) => other.close(resolve));
	expect(await by(signingSecret, port)).toBe("nobody");
});

test("the address of an IPv6 host can be typed", async () => {
	expect(await probeAddress({ signingSecret, listen: { host: "::1", port: 0 }, clock })).toMatchObject({
		at: "[::1]:0",
	});
});
