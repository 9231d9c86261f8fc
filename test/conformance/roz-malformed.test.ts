import { once } from "node:events";
import { connect } from "node:http2";
import { expect } from "vitest";
import { frameRozRequest } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

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
