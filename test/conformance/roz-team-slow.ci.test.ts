import { once } from "node:events";
import { connect } from "node:http2";
import { status } from "@grpc/grpc-js";
import { ManualClock } from "@parley/base/testing";
import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { frameTeamRequest, RozTeam, readTeamEvents } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { submit, untilEnd } from "./task-client.ts";
import { verifiesOn } from "./verifies.ts";

/** Names of tools whose total size exceeds the gateway's buffer limit for one client. */
const names = Array.from({ length: 90 }, (_, n) => `tool_${n}`.padEnd(100_000, "x"));

/** Maximum milliseconds for which a client may exceed its buffer limit. */
const patienceMs = 5_000;

verifiesOn(
	"roz",
	["roz.team-too-slow"],
	"a client that does not read ends with RESOURCE_EXHAUSTED after 5 s, and can watch the task again",
	async () => {
		const clock = new ManualClock();
		const model = new ScriptedModel(
			names.map((name, n) => calls(`c${n}`, name)),
			[says("done")],
		);
		await using gateway = await TestGateway.start({ model, clock });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const root = await submit(client, "look around");
		await untilEnd(client, root);
		const connection = connect(gateway.url, { settings: { initialWindowSize: 1_024 } });
		const stream = connection.request({
			":method": "POST",
			":path": "/roz.v1.AgentService/WatchTeam",
			"content-type": "application/grpc",
			te: "trailers",
		});
		stream.end(frameTeamRequest(root));
		await once(stream, "response");
		// A later stream has received all events, so the gateway has also written all events of the first stream.
		await using secondTeam = new RozTeam(gateway.url, root);
		expect(await secondTeam.ended()).toMatchObject({ code: status.OK });
		clock.advance(patienceMs);
		const chunks: Buffer[] = [];
		stream.on("data", (chunk: Buffer) => chunks.push(chunk));
		const [trailers] = await once(stream, "trailers");
		connection.destroy();
		expect(trailers).toMatchObject({ "grpc-status": String(status.RESOURCE_EXHAUSTED) });
		const received = readTeamEvents(Buffer.concat(chunks));
		expect(secondTeam.events.slice(0, received.length)).toEqual(received);
		expect(received.length).toBeLessThan(secondTeam.events.length);
	},
);
