import { readdir } from "node:fs/promises";
import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { KontekstStream } from "./drivers/kontekst-client.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const oneTurn = ["turnCompleted", "contextSnapshot"];
const write = calls("call_a", "write_file", { path: "a.txt", content: "one" });
const unknown = calls("call_x", "bake", { bread: 1 });
const denied = calls("call_y", "read_file", { path: "secret.txt" });
const invalid = calls("call_z", "write_file", { path: 1 });
const data = { "policy.jsonc": '{"rules":[{"effect":"deny","tool":"read_file"}]}' };

verifiesOn(
	"kontekst",
	["kontekst.impossible"],
	"calls that cannot run are proposed with the others, and fail in their turn after an approval",
	async () => {
		const model = new ScriptedModel([unknown, write, denied], [invalid], [says("done")]);
		await using gateway = await TestGateway.start({ model, data });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "write" });
		expect(await stream.proposed()).toMatchObject([
			{ callId: "call_x", name: "bake", argumentsJson: '{"bread":1}', preview: "" },
			{ callId: "call_a" },
			{ callId: "call_y", name: "read_file", argumentsJson: '{"path":"secret.txt"}', preview: "" },
		]);
		for (const callId of ["call_y", "call_x", "call_a"]) stream.approve(callId);
		expect(await stream.proposed()).toMatchObject([
			{ callId: "call_z", name: "write_file", argumentsJson: '{"path":1}', preview: "" },
		]);
		stream.approve("call_z");
		await stream.until("completed");
		const [failed, completed] = [
			["toolStarted", "toolFailed"],
			["toolStarted", "toolCompleted"],
		];
		expect(stream.kinds()).toEqual([
			...["started", ...oneTurn, "toolsProposed", ...failed, ...completed, ...failed, "toolsCompleted"],
			...[...oneTurn, "toolsProposed", ...failed, "toolsCompleted", "token", ...oneTurn, "completed"],
		]);
		const ended = stream.events.filter(({ kind }) => kind === "toolFailed" || kind === "toolCompleted");
		expect(ended.map(({ value }) => value)).toMatchObject([
			{ callId: "call_x", error: expect.stringContaining('the tool "bake" does not exist') },
			{ callId: "call_a" },
			{ callId: "call_y", error: expect.stringMatching(/^denied: /) },
			{ callId: "call_z", error: expect.stringContaining("invalid arguments of write_file: path") },
		]);
		expect(await readdir(gateway.path("work"))).toEqual(["a.txt"]);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.impossible", "kontekst.denied"],
	"the denial of a call that cannot run cancels the run behind its siblings",
	async () => {
		await using gateway = await TestGateway.start({ model: new ScriptedModel([unknown, write]) });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "write" });
		await stream.proposed();
		stream.deny("call_x", "no bread");
		stream.approve("call_a");
		await stream.until("cancelled");
		const ran = ["toolStarted", "toolCompleted", "toolsCompleted", "cancelled"];
		expect(stream.kinds()).toEqual(["started", ...oneTurn, "toolsProposed", ...ran]);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.impossible", "kontekst.seen"],
	"a WebSocket client sees why a call cannot run, cannot change it, and may decide it",
	async () => {
		const model = new ScriptedModel([invalid], [says("done")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "write" });
		await stream.proposed();
		await using other = await OzzieClient.connect(gateway.url);
		await other.open({ session_id: (await stream.started())["sessionId"], after_seq: 0 });
		const { payload } = await other.event("prompt.request");
		expect(payload["label"]).toBe("Allow write_file?");
		expect(JSON.stringify(payload)).toContain(
			"cannot run, even if it is approved: invalid arguments of write_file",
		);
		const token = payload["token"];
		const corrected = { token, value: true, arguments: { path: "a.txt", content: "one" } };
		await expect(other.call("prompt_response", corrected)).rejects.toThrow(
			/arguments: the call cannot run .* so its arguments cannot be changed/,
		);
		await other.call("prompt_response", { token, value: true });
		expect(await stream.until("completed")).toMatchObject({ content: "done" });
		expect(stream.events.filter(({ kind }) => kind === "toolFailed")).toHaveLength(1);
		expect(await readdir(gateway.path("work"))).toEqual([]);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.impossible", "kontekst.half-close-waiting"],
	"after a half-close a run is cancelled if its model calls a tool that does not exist",
	async () => {
		await using gateway = await TestGateway.start({ model: new ScriptedModel([unknown]) });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "bake" });
		stream.halfClose();
		expect(await stream.ended()).toMatchObject({ code: 0 });
		expect(stream.kinds().slice(-3)).toEqual(["toolsProposed", "toolsCompleted", "cancelled"]);
	},
);
