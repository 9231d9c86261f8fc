import { status } from "@grpc/grpc-js";
import { ManualClock } from "@parley/base/testing";
import { calls, ScriptedModel, says, stuck } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { type RozAccess, RozStream } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const look = { name: "look", description: "Looks", category: "TOOL_CATEGORY_PURE", timeoutMs: 5_000 };

function resultsIn(model: ScriptedModel): string[] {
	const last = model.requests.at(-1)?.messages.findLast(({ role }) => role === "tool");
	return (last?.content ?? []).flatMap((block) => (block.type === "result" ? [block.text] : []));
}

function answer(stream: RozStream, toolCallId: string, result: string): void {
	stream.send({ toolResult: { toolCallId, success: true, result } });
}

verifiesOn(
	"roz",
	["roz.answers"],
	"a call fails after its timeout, and an answer that is late, repeated or for an unknown call has no effect",
	async () => {
		const model = new ScriptedModel(
			[calls("c1", "look"), calls("c2", "look")],
			[calls("c3", "look")],
			[says("done")],
		);
		const clock = new ManualClock();
		await using gateway = await TestGateway.start({ model, clock });
		await using stream = new RozStream(gateway.url);
		await stream.start({ tools: [look] });
		stream.say("go");
		await stream.until("toolRequest");
		await stream.until("toolRequest");
		answer(stream, "c2", "beans");
		answer(stream, "c2", "peas");
		answer(stream, "c9", "a stray");
		stream.send({ ping: {} });
		await stream.until("pong");
		clock.advance(5_000);
		expect(await stream.until("toolRequest")).toMatchObject({ toolCallId: "c3" });
		expect(resultsIn(model)).toEqual([expect.stringMatching(/^timed out: .* 5000 ms/), "beans"]);
		answer(stream, "c1", "late");
		answer(stream, "c3", "at last");
		await stream.until("turnComplete");
		expect(resultsIn(model)).toEqual(["at last"]);
		expect(stream.frames.some(({ kind }) => kind === "error")).toBe(false);
	},
);

verifiesOn(
	"roz",
	["roz.answers", "roz.cancel"],
	"an answer after the cancellation of its turn has no effect on the next turn",
	async () => {
		const model = new ScriptedModel([calls("c1", "look")], stuck("Hm."), [says("next")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		await stream.start({ tools: [look] });
		stream.say("go");
		await stream.until("toolRequest");
		stream.send({ cancelTurn: {} });
		expect(await stream.until("turnComplete")).toMatchObject({ stopReason: "cancelled" });
		answer(stream, "c1", "late");
		expect(await stream.until("error")).toMatchObject({ code: "no_active_turn" });
		stream.say("go on");
		await stream.until("textDelta");
		answer(stream, "c1", "later");
		stream.send({ cancelTurn: {} });
		await stream.until("turnComplete");
		expect(JSON.stringify(model.requests)).not.toMatch(/"later?"/);
	},
);

verifiesOn(
	"roz",
	["roz.gone", "roz.offered-again"],
	"a client that continues the session of a lost stream offers its tools again",
	async () => {
		const model = new ScriptedModel(
			[calls("c1", "look")],
			[says("without it")],
			[calls("c2", "look")],
			[says("with it")],
		);
		await using gateway = await TestGateway.start({ model });
		await using lost = new RozStream(gateway.url);
		const { sessionId } = await lost.start({ tools: [look] });
		await using reader = await OzzieClient.connect(gateway.url);
		await reader.open({ session_id: sessionId });
		lost.say("go");
		await lost.until("toolRequest");
		lost.break();
		await reader.event("assistant.message");
		expect(resultsIn(model)[0]).toContain("interrupted");
		await using stream = new RozStream(gateway.url, { headers: { "parley-session-id": String(sessionId) } });
		await stream.start({ tools: [look] });
		stream.say("again");
		expect(await stream.until("toolRequest")).toMatchObject({ toolCallId: "c2" });
		answer(stream, "c2", "beans");
		await stream.until("turnComplete");
		expect(resultsIn(model)).toEqual(["beans"]);
	},
);

verifiesOn(
	"roz",
	["roz.token", "roz.fatal"],
	"a wrong token is a status, and a session that cannot be continued an error",
	async () => {
		await using locked = await TestGateway.start({ config: { auth: "token" } });
		const unknownHosts: readonly RozAccess[] = [
			{},
			{ token: "" },
			{ token: "roz_sk_unknown" },
			{ headers: { authorization: "Basic cm96" } },
			{ headers: { "parley-session-id": "sess_unknown" } },
		];
		for (const access of unknownHosts) {
			await using stream = new RozStream(locked.url, access);
			stream.send({ start: {} });
			expect(await stream.ended()).toMatchObject({ code: status.UNAUTHENTICATED });
			expect(stream.frames).toEqual([]);
		}
		await using open = await TestGateway.start();
		for (const id of ["sess_unknown", "00000000-0000-4000-8000-000000000000", "../x"]) {
			await using stream = new RozStream(open.url, { headers: { "parley-session-id": id } });
			stream.send({ start: {} });
			expect(await stream.until("error")).toMatchObject({ code: "invalid_argument" });
			expect(await stream.ended()).toMatchObject({ code: status.OK });
			expect(stream.frames).toHaveLength(1);
		}
	},
);
