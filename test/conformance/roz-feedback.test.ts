import { ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RozStream } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"roz",
	["roz.feedback"],
	"feedback about a message of another session is stored there, and a message of another session has none here",
	async () => {
		const model = new ScriptedModel([says("one")], [says("two")]);
		await using gateway = await TestGateway.start({ model });
		await using first = new RozStream(gateway.url);
		const { sessionId } = await first.start();
		first.say("a", { messageId: "m1" });
		await first.until("turnComplete");
		await using second = new RozStream(gateway.url);
		await second.start();
		second.say("b", { messageId: "m2" });
		await second.until("turnComplete");
		for (const feedback of [
			{ messageId: "m1", rating: "up" },
			{ sessionId: "00000000-0000-4000-8000-000000000000", messageId: "m1", rating: "up" },
			{ sessionId, messageId: "m2", rating: "up" },
			{ sessionId, messageId: "m1", rating: "sideways" },
			{ sessionId, messageId: "m1", rating: "down" },
		])
			second.send({ feedback });
		await using reader = await OzzieClient.connect(gateway.url);
		let listed: readonly object[] = [];
		while (listed.length === 0)
			({ feedback: listed } = (await reader.call("list_feedback", {})) as { feedback: readonly object[] });
		expect(listed).toMatchObject([{ session_id: sessionId, rating: "bad", reply: "one", by: "operator" }]);
		expect(second.frames.filter(({ kind }) => kind === "error")).toEqual([]);
	},
);
