import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { RozStream, structOf } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

for (const [behaviour, tool, args, modifier, reason] of [
	[
		"moves a file out of the roots",
		"write_file",
		{ path: "bed.txt", content: "soil" },
		{ path: "/tmp/parley-bed.txt" },
		"the changed call needs more permissions than the displayed call: outside-write",
	],
	[
		"needs a further class of action",
		"git",
		{ args: ["init", "beds"] },
		{ args: ["ls-remote", "https://example.com/beds"] },
		"the changed call needs more permissions than the displayed call: egress",
	],
	["is invalid", "write_file", { path: "bed.txt", content: "soil" }, { path: "" }, "arguments: "],
] as const) {
	verifiesOn(
		"roz",
		["roz.modifier"],
		`a modifier with which the call ${behaviour} denies the call with the reason, and the turn continues`,
		async () => {
			const model = new ScriptedModel([calls("c1", tool, args)], [says("done")]);
			await using gateway = await TestGateway.start({ model });
			await using stream = new RozStream(gateway.url);
			await stream.start();
			stream.say("go");
			let state: unknown;
			while (state !== "waiting_approval") ({ state } = await stream.until("activityUpdate"));
			const decision = { toolCallId: "c1", approved: true, modifier: structOf(modifier) };
			stream.send({ permissionDecision: decision });
			expect(await stream.until("turnComplete")).toMatchObject({ stopReason: "end_turn" });
			const sent = JSON.stringify(model.requests.at(-1)?.messages);
			expect(sent).toContain("the modifier cannot be used: ");
			expect(sent).toContain(reason);
			const tools = stream.frames.filter(({ value }) => value["state"] === "calling_tool");
			expect(tools).toEqual([]);
		},
	);
}
