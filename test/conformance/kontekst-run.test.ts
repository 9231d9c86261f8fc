import { readdir, writeFile } from "node:fs/promises";
import { calls, ScriptedModel, says, stuck } from "@parley/core/testing";
import { expect } from "vitest";
import { KontekstStream } from "./drivers/kontekst-client.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const oneTurn = ["turnCompleted", "contextSnapshot"];

verifiesOn(
	"kontekst",
	["kontekst.order", "kontekst.snapshot"],
	"a run streams its reply, and its last event has its result",
	async () => {
		const model = new ScriptedModel([{ type: "thinking", text: "Hm. " }, says("Good "), says("morning")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "hello", agentName: "default" });
		const completed = await stream.until("completed");
		expect(stream.kinds()).toEqual(["started", "reasoning", "token", ...oneTurn, "completed"]);
		const [{ value: started } = { value: {} }] = stream.events;
		expect(started).toMatchObject({ runId: completed["runId"], agentName: "default" });
		expect(completed).toMatchObject({ content: "Good morning", reasoning: "Hm. " });
		const turn = stream.events.find(({ kind }) => kind === "turnCompleted")?.value;
		expect(turn).toMatchObject({ content: "Good morning", reasoning: "Hm. " });
		checkSnapshot(Object(turn?.["context"]));
		stream.halfClose();
		expect(await stream.ended()).toMatchObject({ code: 0 });
	},
);

function checkSnapshot(snapshot: Readonly<Record<string, number>> & { readonly messages: unknown[] }): void {
	const { contextSize = 0, systemTokens = 0, toolTokens = 0, historyTokens = 0, memoryTokens = 0 } = snapshot;
	const messages = snapshot.messages.map((message) => Object(message));
	const sum = (source: string): number =>
		messages.filter((message) => message.source === source).reduce((all, { tokens }) => all + tokens, 0);
	expect(snapshot["totalTokens"]).toBe(systemTokens + toolTokens + historyTokens + memoryTokens);
	expect(snapshot["remainingTokens"]).toBe(contextSize - (snapshot["totalTokens"] ?? 0));
	expect(snapshot["historyBudget"]).toBe(contextSize - systemTokens - toolTokens - memoryTokens);
	expect([sum("system"), sum("history"), sum("memory")]).toEqual([systemTokens, historyTokens, memoryTokens]);
	expect(snapshot["totalMessages"]).toBe(messages.length);
	expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant"]);
}

const twoWrites = [
	calls("call_a", "write_file", { path: "a.txt", content: "one\n" }),
	calls("call_b", "write_file", { path: "b.txt", content: "two\n" }),
];

verifiesOn(
	"kontekst",
	["kontekst.tools", "kontekst.preview", "kontekst.strays"],
	"the calls of a reply are decided together in any order, and run in that of the model",
	async () => {
		const model = new ScriptedModel(twoWrites, [says("done")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new KontekstStream(gateway.url);
		stream.approve("call_a");
		stream.send({ cancel: {} });
		stream.send({});
		stream.start({ prompt: "write" });
		const proposed = await stream.proposed();
		expect(proposed).toMatchObject([
			{ callId: "call_a", name: "write_file", argumentsJson: '{"path":"a.txt","content":"one\\n"}' },
			{ callId: "call_b", preview: expect.stringMatching(/^--- .*\n\+\+\+ b\.txt\n@@ .*\n\+two\n/s) },
		]);
		stream.approve("");
		stream.deny("call_x");
		stream.approve("call_b");
		stream.deny("call_b", "too late");
		stream.approve("call_a");
		expect(await stream.until("completed")).toMatchObject({ content: "done" });
		const ran = ["toolStarted", "toolCompleted", "toolStarted", "toolCompleted", "toolsCompleted"];
		expect(stream.kinds()).toEqual([
			...["started", ...oneTurn, "toolsProposed", ...ran, "token", ...oneTurn, "completed"],
		]);
		const ended = stream.events.filter(({ kind }) => kind === "toolCompleted");
		expect(ended.map(({ value }) => value["callId"])).toEqual(["call_a", "call_b"]);
		expect(await readdir(gateway.path("work"))).toEqual(["a.txt", "b.txt"]);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.proposed"],
	"a call that only reads also waits for a decision",
	async () => {
		const model = new ScriptedModel(
			[calls("call_a", "list_files", { pattern: "*" })],
			[says("nothing there")],
		);
		await using gateway = await TestGateway.start({ model });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "look" });
		const [call] = await stream.proposed();
		expect(stream.kinds().at(-1)).toBe("toolsProposed");
		stream.approve(call?.callId ?? "");
		expect(await stream.until("completed")).toMatchObject({ content: "nothing there" });
	},
);

verifiesOn(
	"kontekst",
	["kontekst.tools", "kontekst.proposed-again"],
	"commands of a reply are proposed together, and one whose files changed again alone",
	async () => {
		const reply = ["git --version", "echo 'echo bad' > run.sh", "sh run.sh"].map((cmd, index) =>
			calls(`call_${index}`, "run_command", { cmd }),
		);
		const model = new ScriptedModel(reply, [says("done")]);
		await using gateway = await TestGateway.start({ model });
		await writeFile(gateway.path("work", "run.sh"), "echo good\n");
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "run" });
		const proposed = await stream.proposed();
		expect(proposed.map(({ callId }) => callId)).toEqual(["call_0", "call_1", "call_2"]);
		for (const { callId } of proposed.toReversed()) stream.approve(callId);
		const reproposed = await stream.proposed();
		const preview = expect.stringMatching(/^asked again: files changed .*: run\.sh$/);
		expect(reproposed).toMatchObject([{ callId: "call_2", name: "run_command", preview }]);
		stream.approve("call_2");
		expect(await stream.until("completed")).toMatchObject({ content: "done" });
		const outputs = stream.events.filter(({ kind }) => kind === "toolCompleted");
		expect(outputs.map(({ value }) => value["callId"])).toEqual(["call_0", "call_1", "call_2"]);
		expect(outputs[2]?.value).toMatchObject({ output: "bad\n" });
		expect(stream.kinds().filter((kind) => kind === "toolsCompleted")).toHaveLength(1);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.long-arguments"],
	"arguments that are too long for an event are cut, and stay JSON",
	async () => {
		const content = "\u0001".repeat(200_000);
		const model = new ScriptedModel(
			[calls("call_a", "write_file", { path: "a.txt", content })],
			[says("done")],
		);
		await using gateway = await TestGateway.start({ model });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "write" });
		const [proposed] = await stream.proposed();
		const shown: unknown = JSON.parse(proposed?.argumentsJson ?? "");
		expect(shown).toMatchObject({
			path: "a.txt",
			content: expect.stringMatching(/more bytes are not shown here\]$/),
		});
		expect(proposed?.argumentsJson.length).toBeLessThan(1_000_000);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.denied"],
	"a denied call cancels the run behind its approved siblings",
	async () => {
		const model = new ScriptedModel(twoWrites);
		await using gateway = await TestGateway.start({ model });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "write" });
		await stream.proposed();
		stream.deny("call_a", "not in this garden");
		stream.approve("call_b");
		await stream.until("cancelled");
		const ran = ["toolStarted", "toolCompleted", "toolsCompleted", "cancelled"];
		expect(stream.kinds()).toEqual(["started", ...oneTurn, "toolsProposed", ...ran]);
		expect(await readdir(gateway.path("work"))).toEqual(["b.txt"]);
		await using reader = await OzzieClient.connect(gateway.url);
		const session = String(stream.events[0]?.value["sessionId"]);
		await reader.open({ session_id: session, after_seq: 0 });
		const answered = await reader.event("prompt.response");
		expect(JSON.stringify(answered.payload)).toContain("not in this garden");
	},
);

verifiesOn(
	"kontekst",
	["kontekst.denied"],
	"after a denial, calls that depend on it are not proposed",
	async () => {
		const writes = ["a", "b"].map((name) =>
			calls(`call_${name}`, "write_file", { path: `${name}.txt`, content: name }),
		);
		const model = new ScriptedModel([...writes, calls("call_c", "run_command", { cmd: "cat b.txt" })]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "write" });
		expect(await stream.proposed()).toHaveLength(2);
		stream.deny("call_a");
		stream.approve("call_b");
		await stream.until("cancelled");
		expect(stream.kinds().filter((kind) => kind === "toolsProposed")).toHaveLength(1);
	},
);

verifiesOn("kontekst", ["kontekst.cancel"], "a cancel ends the reply of the model", async () => {
	await using gateway = await TestGateway.start({ model: new ScriptedModel(stuck("once upon")) });
	await using stream = new KontekstStream(gateway.url);
	stream.start({ prompt: "tell" });
	await stream.until("token");
	stream.send({ cancel: {} });
	await stream.until("cancelled");
	expect(stream.kinds()).toEqual(["started", "token", "cancelled"]);
});

verifiesOn(
	"kontekst",
	["kontekst.cancel-waiting"],
	"a cancel ends a run that waits for decisions",
	async () => {
		await using gateway = await TestGateway.start({ model: new ScriptedModel(twoWrites) });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "write" });
		await stream.proposed();
		stream.send({ cancel: {} });
		await stream.until("cancelled");
		expect(await readdir(gateway.path("work"))).toEqual([]);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.half-close"],
	"after a half-close the run is shown to its end, and the stream ends",
	async () => {
		await using gateway = await TestGateway.start();
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "hello" });
		stream.halfClose();
		expect(await stream.ended()).toMatchObject({ code: 0 });
		expect(stream.kinds()).toEqual(["started", "token", ...oneTurn, "completed"]);
	},
);

verifiesOn(
	"kontekst",
	["kontekst.half-close-waiting"],
	"after a half-close a run that needs a decision is cancelled",
	async () => {
		await using gateway = await TestGateway.start({ model: new ScriptedModel(twoWrites) });
		await using stream = new KontekstStream(gateway.url);
		stream.start({ prompt: "write" });
		stream.halfClose();
		expect(await stream.ended()).toMatchObject({ code: 0 });
		expect(stream.kinds().slice(-2)).toEqual(["toolsCompleted", "cancelled"]);
	},
);

verifiesOn("kontekst", ["kontekst.gone"], "a broken stream cancels a run that needs a decision", async () => {
	await using gateway = await TestGateway.start({ model: new ScriptedModel(twoWrites) });
	await using stream = new KontekstStream(gateway.url);
	stream.start({ prompt: "write" });
	await stream.proposed();
	const session = String(stream.events[0]?.value["sessionId"]);
	await using reader = await OzzieClient.connect(gateway.url);
	await reader.open({ session_id: session, after_seq: 0 });
	stream.breakOff();
	const ended = await reader.event("assistant.message");
	expect(ended.payload).toMatchObject({ error: "cancelled" });
});

verifiesOn(
	"kontekst",
	["kontekst.seen", "kontekst.wait"],
	"a WebSocket client sees the run and decides its call, and a second run waits behind it",
	async () => {
		const [write] = twoWrites;
		const model = new ScriptedModel(write ? [write] : [], [says("written")], [says("second")]);
		await using gateway = await TestGateway.start({ model });
		await using first = new KontekstStream(gateway.url);
		first.start({ prompt: "write" });
		await first.proposed();
		const sessionId = String(first.events[0]?.value["sessionId"]);
		await using second = new KontekstStream(gateway.url);
		second.start({ prompt: "and then", sessionId });
		await using other = await OzzieClient.connect(gateway.url);
		await other.open({ session_id: sessionId, after_seq: 0 });
		const prompt = await other.event("prompt.request");
		expect(second.kinds()).toEqual([]);
		await other.call("prompt_response", { token: prompt.payload["token"], value: true });
		expect(await first.until("completed")).toMatchObject({ content: "written" });
		expect(await second.until("completed")).toMatchObject({ content: "second" });
	},
);
