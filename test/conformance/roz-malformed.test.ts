import { once } from "node:events";
import { type ClientHttp2Stream, connect } from "node:http2";
import { status } from "@grpc/grpc-js";
import { expect } from "vitest";
import { frameRozRequest } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

/** Returns the gRPC status, or -1 without a status. A response without a body has the status in its headers. */
function statusOf(stream: ClientHttp2Stream): Promise<number> {
	return new Promise((resolve) => {
		for (const name of ["response", "trailers"]) {
			stream.on(name, (headers: Readonly<Record<string, unknown>>) => {
				if (headers["grpc-status"] !== undefined) resolve(Number(headers["grpc-status"]));
			});
		}
		stream.on("close", () => resolve(-1));
	});
}

verifiesOn(
	"roz",
	["roz.malformed"],
	"a malformed message ends the stream with INTERNAL, also while responses are written",
	async () => {
		await using gateway = await TestGateway.start();
		const session = connect(gateway.url);
		const malformed = Buffer.from([0, 0, 0, 0, 1, 0x0f]);
		const user = frameRozRequest({ userMessage: { content: "hi" } });
		const ping = frameRozRequest({ ping: {} });
		for (const body of [[malformed], [user, malformed], [user, ping, malformed]]) {
			const stream = session.request({
				...{ ":method": "POST", ":path": "/roz.v1.AgentService/StreamSession" },
				...{ "content-type": "application/grpc", te: "trailers" },
			});
			stream.resume().end(Buffer.concat(body));
			const [trailers] = await once(stream, "trailers");
			expect(trailers).toMatchObject({ "grpc-status": "13" });
		}
		session.destroy();
	},
);

verifiesOn("roz", ["roz.team-malformed"], "a malformed WatchTeam request ends with a status", async () => {
	await using gateway = await TestGateway.start();
	const session = connect(gateway.url);
	const framed = (...bytes: readonly number[]): Buffer => Buffer.from([0, 0, 0, 0, bytes.length, ...bytes]);
	const empty = framed();
	for (const [body, code] of [
		[[framed(0x0f)], status.INTERNAL],
		// The field states a length beyond the end of the message.
		[[framed(0x0a, 0x05, 0x61)], status.INTERNAL],
		[[empty, empty], status.UNIMPLEMENTED],
		[[], status.UNIMPLEMENTED],
		[[Buffer.from([0, 0, 0, 0, 9, 1])], status.UNIMPLEMENTED],
		[[Buffer.from([0, 0x7f, 0xff, 0xff, 0xff])], status.RESOURCE_EXHAUSTED],
		// Invalid UTF-8, and an empty id.
		[[framed(0x0a, 0x01, 0xff)], status.NOT_FOUND],
		[[empty], status.NOT_FOUND],
	] as const) {
		const stream = session.request({
			...{ ":method": "POST", ":path": "/roz.v1.AgentService/WatchTeam" },
			...{ "content-type": "application/grpc", te: "trailers" },
		});
		const answered = statusOf(stream);
		stream.resume().end(Buffer.concat(body));
		expect([body, await answered]).toEqual([body, code]);
	}
	session.destroy();
});
