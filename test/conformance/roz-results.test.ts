import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RozStream } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const look = { name: "look", description: "Looks", category: "TOOL_CATEGORY_PURE" };

function resultsIn(model: ScriptedModel): string[] {
	const last = model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool");
	return (last?.content ?? []).flatMap((block) => (block.type === "result" ? [block.text] : []));
}

verifiesOn(
	"roz",
	["roz.results"],
	"exit code, truncation and duration of a result reach the model and the record of the session",
	async () => {
		const model = new ScriptedModel(
			[calls("c1", "look"), calls("c2", "look"), calls("c3", "look")],
			[says("done")],
		);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		const { sessionId } = await stream.start({ tools: [look] });
		stream.say("go");
		for (let request = 0; request < 3; request++) await stream.until("toolRequest");
		const facts = [
			{ success: true, exitCode: 0, truncated: true, durationMs: 1_234 },
			{ success: false, truncated: true },
			// A negative duration is invalid and is omitted from the result.
			{ success: true, durationMs: -1 },
		];
		for (const [index, fact] of facts.entries())
			stream.send({ toolResult: { toolCallId: `c${index + 1}`, result: "beans", ...fact } });
		await stream.until("turnComplete");
		const results = [
			"beans\n[exit code 0, output cut by the client, took 1234 ms]",
			expect.stringMatching(/beans\n\[output cut by the client\]$/),
			"beans",
		];
		expect(resultsIn(model)).toEqual(results);
		await using reader = await OzzieClient.connect(gateway.url);
		await reader.open({ session_id: sessionId, after_seq: 0 });
		const completed = await reader.event("tool.call", { call_id: "c1", status: "completed" });
		expect(completed.payload).toMatchObject({ result: results[0] });
	},
);

verifiesOn(
	"roz",
	["roz.half-close", "roz.gone"],
	"a half-close ends the open call of the client as interrupted, and the turn continues to its end",
	async () => {
		const model = new ScriptedModel([calls("c1", "look")], [calls("c2", "look")], [says("without it")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		await stream.start({ tools: [look] });
		stream.say("go");
		await stream.until("toolRequest");
		stream.halfClose();
		expect(await stream.ended()).toMatchObject({ code: 0 });
		expect(stream.frames.at(-1)).toMatchObject({ kind: "turnComplete", value: { stopReason: "end_turn" } });
		expect(stream.text("textDelta")).toBe("without it");
		// The second call has no `toolRequest`, because the client has disconnected.
		expect(stream.frames.filter(({ kind }) => kind === "toolRequest")).toHaveLength(1);
		expect(JSON.stringify(model.requests[1]?.messages)).toContain("interrupted, outcome unknown: the client");
		expect(resultsIn(model)).toEqual([
			expect.stringContaining("interrupted: not run, because the client that offered look has disconnected"),
		]);
	},
);
