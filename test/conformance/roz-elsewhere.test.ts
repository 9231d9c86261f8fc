import { readFile } from "node:fs/promises";
import { parseJson } from "@parley/base";
import { calls, ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { KontekstStream } from "./drivers/kontekst-client.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RozStream } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

function write(callId: string, content: string) {
	return calls(callId, "write_file", { path: "bed.txt", content });
}

async function approvalAt(stream: RozStream): Promise<string> {
	for (;;) {
		const { state, detail } = await stream.until("activityUpdate");
		if (state === "waiting_approval") return String(detail);
	}
}

verifiesOn(
	"roz",
	["roz.shared"],
	"a session is listed over HTTP, and a turn of a WebSocket client in it is not shown to the roz client",
	async () => {
		const model = new ScriptedModel([says("one")], [says("two")], [says("three")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		const { sessionId } = await stream.start();
		stream.say("a");
		await stream.until("turnComplete");
		const listed = parseJson(await (await fetch(`${gateway.url}/api/sessions`)).text());
		expect(listed).toEqual([expect.objectContaining({ id: sessionId })]);
		await using other = await OzzieClient.connect(gateway.url);
		await other.open({ session_id: sessionId, after_seq: 0 });
		await other.event("assistant.message", { content: "one" });
		const before = stream.frames.length;
		await other.call("send_message", { content: "b" });
		await other.event("assistant.message", { content: "two" });
		stream.send({ ping: {} });
		await stream.until("pong");
		expect(stream.frames.slice(before).map(({ kind }) => kind)).toEqual(["pong"]);
		stream.say("c");
		await stream.until("turnComplete");
		expect(stream.text("textDelta")).toBe("onethree");
		await other.event("assistant.message", { content: "three" });
		expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(/"a".*"one".*"b".*"two".*"c"/);
	},
);

verifiesOn(
	"roz",
	["roz.approval-elsewhere"],
	"a call of a roz turn is approved over the WebSocket or here, and both clients are notified",
	async () => {
		const model = new ScriptedModel([write("c1", "soil")], [write("c2", "clay")], [says("done")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		const { sessionId } = await stream.start();
		await using other = await OzzieClient.connect(gateway.url);
		await other.open({ session_id: sessionId });
		stream.say("write");
		expect(await approvalAt(stream)).toBe("c1");
		const { payload: first } = await other.event("prompt.request");
		await other.call("prompt_response", { token: first["token"], value: true });
		expect(await stream.until("activityUpdate")).toMatchObject({
			state: "calling_tool",
			detail: "write_file",
		});
		expect(await approvalAt(stream)).toBe("c2");
		expect(await readFile(gateway.path("work", "bed.txt"), "utf8")).toBe("soil");
		const { payload: second } = await other.event("prompt.request");
		stream.send({ permissionDecision: { toolCallId: "c2", approved: true } });
		const { payload: answered } = await other.event("prompt.response", { token: second["token"] });
		expect(answered).toMatchObject({ value: true, cancelled: false });
		await stream.until("turnComplete");
		await other.event("assistant.message", { content: "done" });
		expect(await readFile(gateway.path("work", "bed.txt"), "utf8")).toBe("clay");
	},
);

verifiesOn(
	"roz",
	["roz.approval-elsewhere"],
	"a roz client decides about a call of a turn that another client of its session started",
	async () => {
		const model = new ScriptedModel([write("c1", "soil")], [says("done")]);
		await using gateway = await TestGateway.start({ model });
		await using other = await OzzieClient.connect(gateway.url);
		const session = await other.open();
		await other.call("send_message", { content: "write" });
		const { payload } = await other.event("prompt.request");
		await using stream = new RozStream(gateway.url, { headers: { "parley-session-id": session } });
		await stream.start();
		stream.send({ permissionDecision: { toolCallId: "", approved: true } });
		stream.send({ permissionDecision: { toolCallId: "c9", approved: true } });
		stream.send({ permissionDecision: { toolCallId: "c1", approved: false } });
		const { payload: answered } = await other.event("prompt.response", { token: payload["token"] });
		expect(answered).toMatchObject({ value: false });
		await other.event("assistant.message", { content: "done" });
		expect(stream.frames.map(({ kind }) => kind)).toEqual(["sessionStarted"]);
	},
);

verifiesOn(
	"roz",
	["roz.approval", "roz.approval-elsewhere"],
	"a decision names an approval by its own id as well, also that of another client's turn",
	async () => {
		const model = new ScriptedModel(
			[write("c1", "soil")],
			[says("one")],
			[write("c2", "clay")],
			[says("two")],
		);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		const { sessionId } = await stream.start();
		await using other = await OzzieClient.connect(gateway.url);
		await other.open({ session_id: sessionId });
		const approve = async (content: string): Promise<void> => {
			const { payload } = await other.event("prompt.request");
			stream.send({ permissionDecision: { toolCallId: payload["token"], approved: true } });
			await other.event("assistant.message");
			expect(await readFile(gateway.path("work", "bed.txt"), "utf8")).toBe(content);
		};
		stream.say("write");
		await approve("soil");
		await stream.until("turnComplete");
		await other.call("send_message", { content: "write" });
		await approve("clay");
	},
);

verifiesOn(
	"roz",
	["roz.shared", "roz.resume"],
	"a session of a kontekst run is continued here, and then again by a kontekst run",
	async () => {
		const model = new ScriptedModel([says("one")], [says("two")], [says("three")]);
		await using gateway = await TestGateway.start({ model });
		await using first = new KontekstStream(gateway.url);
		first.start({ prompt: "a" });
		await first.until("completed");
		const { sessionId } = await first.started();
		await using stream = new RozStream(gateway.url, { headers: { "parley-session-id": String(sessionId) } });
		expect(await stream.start()).toMatchObject({ sessionId });
		stream.say("b");
		await stream.until("turnComplete");
		await using continued = new KontekstStream(gateway.url);
		continued.start({ prompt: "c", sessionId });
		expect(await continued.until("completed")).toMatchObject({ content: "three" });
		expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(/"a".*"one".*"b".*"two".*"c"/);
		expect(stream.text("textDelta")).toBe("two");
	},
);

verifiesOn("roz", ["roz.shared"], "a kontekst run continues a session that roz started", async () => {
	const model = new ScriptedModel([says("one")], [says("two")]);
	await using gateway = await TestGateway.start({ model });
	await using stream = new RozStream(gateway.url);
	const { sessionId } = await stream.start();
	stream.say("a");
	await stream.until("turnComplete");
	await using run = new KontekstStream(gateway.url);
	run.start({ prompt: "b", sessionId });
	expect(await run.started()).toMatchObject({ sessionId });
	expect(await run.until("completed")).toMatchObject({ content: "two" });
	expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(/"a".*"one".*"b"/);
});
