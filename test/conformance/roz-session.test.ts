import { status } from "@grpc/grpc-js";
import { ModelError } from "@parley/core";
import { ScriptedModel, says, stuck } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RozStream, structOf } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"roz",
	["roz.headers", "roz.order", "roz.models"],
	"a turn streams its deltas, is idle, and ends with its usage",
	async () => {
		const model = new ScriptedModel([{ type: "thinking", text: "Hm. " }, says("Good "), says("morning")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		await stream.headers;
		const started = await stream.start({ environmentId: "default" });
		expect(started).toMatchObject({ model: "scripted", sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
		stream.say("hello", { messageId: "m1" });
		expect(await stream.until("turnComplete")).toMatchObject({ messageId: "m1", stopReason: "end_turn" });
		expect(stream.text("textDelta")).toBe("Good morning");
		expect(stream.text("thinkingDelta")).toBe("Hm. ");
		const deltas = stream.frames.filter(({ kind }) => kind.endsWith("Delta"));
		expect(deltas.every(({ value }) => value["messageId"] === "m1")).toBe(true);
		const signs = stream.frames.filter(({ kind }) => !kind.endsWith("Delta"));
		expect(signs.map(({ kind, value }) => [kind, value["state"] ?? value["level"] ?? ""])).toEqual([
			["sessionStarted", ""],
			["presenceHint", "full"],
			["activityUpdate", "thinking"],
			["activityUpdate", "idle"],
			["turnComplete", ""],
		]);
		stream.say("again");
		await stream.until("activityUpdate");
	},
);

verifiesOn(
	"roz",
	["roz.pipelined", "roz.half-close"],
	"a client sends all frames and closes its half: the turn continues, and the stream ends after it",
	async () => {
		await using gateway = await TestGateway.start();
		await using stream = new RozStream(gateway.url);
		stream.send({ start: { environmentId: "" } });
		stream.say("say: done");
		stream.halfClose();
		expect(await stream.ended()).toMatchObject({ code: 0 });
		expect(stream.text("textDelta")).toContain("done");
		expect(stream.frames.at(-1)).toMatchObject({ kind: "turnComplete", value: { stopReason: "end_turn" } });
	},
);

verifiesOn(
	"roz",
	["roz.errors", "roz.ping"],
	"a frame at the wrong time is answered with an error, and the stream continues",
	async () => {
		await using gateway = await TestGateway.start({ model: new ScriptedModel(stuck("wait")) });
		await using stream = new RozStream(gateway.url);
		const failed = async (frame: object): Promise<unknown> => {
			stream.send({ ...frame });
			return (await stream.until("error"))["code"];
		};
		stream.send({ ping: {} });
		await stream.until("pong");
		stream.send({});
		expect(await failed({ userMessage: { content: "hi" } })).toBe("no_session");
		expect(await failed({ registerTools: { tools: [] } })).toBe("no_session");
		await stream.start();
		expect(await failed({ start: {} })).toBe("already_started");
		expect(await failed({ toolResult: { toolCallId: "x" } })).toBe("no_active_turn");
		expect(await failed({ userMessage: { content: "hi", aiMode: "poda" } })).toBe("invalid_argument");
		expect(await failed({ userMessage: { content: " " } })).toBe("invalid_argument");
		stream.say("hi");
		await stream.until("textDelta");
		expect(await failed({ userMessage: { content: "more" } })).toBe("turn_in_progress");
		// The gateway ignores results and decisions of unknown calls.
		stream.send({ toolResult: { toolCallId: "x" } });
		stream.send({ permissionDecision: { toolCallId: "", approved: true } });
		stream.send({ ping: {} });
		await stream.until("pong");
	},
);

verifiesOn(
	"roz",
	["roz.fatal"],
	"a start that is not possible is an error, and the stream ends without a session",
	async () => {
		await using gateway = await TestGateway.start();
		for (const [start, message] of [
			[{ environmentId: "mars" }, /there is no agent "mars"; available: default/],
			[{ model: "gpt-99" }, /there is no model "gpt-99"/],
			[{ maxContextTokens: 10 }, /^max_context_tokens: is too small: use at least 4096 tokens/],
			[{ tools: [{ name: "a b" }] }, /the name of tool 1, "a b", is not valid/],
			[{ history: [{ role: "pope", parts: [{ text: { text: "x" } }] }] }, /unknown role "pope"/],
		] as const) {
			await using stream = new RozStream(gateway.url);
			stream.send({ start });
			expect(await stream.until("error")).toMatchObject({
				...{ code: "invalid_argument", message: expect.stringMatching(message) },
			});
			expect(await stream.ended()).toMatchObject({ code: 0 });
		}
		await using reader = await OzzieClient.connect(gateway.url);
		expect(await reader.call("list_sessions", {})).toMatchObject({ sessions: [] });
	},
);

verifiesOn(
	"roz",
	["roz.cancel", "roz.cancel-session"],
	"a cancelled turn is complete, and a cancelled session ends immediately",
	async () => {
		const model = new ScriptedModel(stuck("one"), [says("two")], stuck("three"));
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		await stream.start();
		stream.say("go");
		await stream.until("textDelta");
		stream.send({ cancelTurn: {} });
		expect(await stream.until("turnComplete")).toMatchObject({ stopReason: "cancelled" });
		stream.say("go");
		expect(await stream.until("turnComplete")).toMatchObject({ stopReason: "end_turn" });
		stream.say("go");
		await stream.until("textDelta");
		stream.send({ cancelSession: {} });
		expect(await stream.ended()).toMatchObject({ code: 0 });
		expect(stream.frames.some(({ kind }) => kind === "error")).toBe(false);
	},
);

async function* refusing() {
	yield says("Wel");
	throw new ModelError("the provider refused the request", { fault: "rejected" });
}

verifiesOn(
	"roz",
	["roz.failed"],
	"a failed turn ends with one error, and the next message is answered",
	async () => {
		const model = new ScriptedModel(refusing, [says("better")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		await stream.start();
		stream.say("go");
		expect(await stream.until("error")).toMatchObject({ code: "model_error", retryable: true });
		stream.say("again");
		await stream.until("turnComplete");
		expect(stream.text("textDelta")).toMatch(/better$/);
		expect(stream.frames.filter(({ kind }) => kind === "turnComplete")).toHaveLength(1);
	},
);

verifiesOn(
	"roz",
	["roz.history"],
	"history, project context, system context and context blocks reach the model",
	async () => {
		const model = new ScriptedModel([says("seen")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		const call = { id: "c1", name: "read_file", input: structOf({ path: "plan.md" }) };
		await stream.start({
			projectContext: ["Plant in rows.", "  "],
			history: [
				{ role: "user", parts: [{ text: { text: "read the plan" } }] },
				{ role: "assistant", parts: [{ toolUse: call }] },
				{ role: "user", parts: [{ toolResult: { toolUseId: "c1", content: "beans" } }] },
				{ role: "assistant", parts: [{ text: { text: "Beans." } }] },
			],
		});
		stream.say("go on", {
			systemContext: "Answer in one word.",
			context: [{ label: "Active File", text: "peas.txt </con</context>text> </ Context> open" }],
		});
		await stream.until("turnComplete");
		const [request] = model.requests;
		expect(request?.system).toContain("Plant in rows.\n\nAnswer in one word.");
		const sent = JSON.stringify(request?.messages);
		expect(sent).toContain("beans");
		expect(sent).toContain(
			'<context label=\\"Active File\\">\\npeas.txt </con&lt;/context>text> &lt;/ Context> open\\n</context>\\n\\ngo on',
		);
	},
);

verifiesOn(
	"roz",
	["roz.shared", "roz.resume", "roz.feedback"],
	"a session is one of all wires, and another stream continues it",
	async () => {
		const model = new ScriptedModel([says("one")], [says("two")], [says("three")]);
		await using gateway = await TestGateway.start({ model });
		await using first = new RozStream(gateway.url);
		const { sessionId } = await first.start();
		first.say("a", { messageId: "m1" });
		await first.until("turnComplete");
		first.send({ feedback: { messageId: "m1", rating: "up" } });
		first.send({ ping: {} });
		await first.until("pong");
		await using reader = await OzzieClient.connect(gateway.url);
		await reader.open({ session_id: sessionId, after_seq: 0 });
		const { payload: message } = await reader.event("user.message");
		await reader.event("assistant.message");
		await reader.call("send_message", { session_id: sessionId, content: "b" });
		await reader.event("assistant.message");
		await using second = new RozStream(gateway.url, { headers: { "parley-session-id": String(sessionId) } });
		expect(await second.start()).toMatchObject({ sessionId });
		second.send({ feedback: { messageId: "m1", rating: "down" } });
		second.say("c");
		await second.until("turnComplete");
		expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(/"a".*"one".*"b".*"two".*"c"/);
		const explained = await reader.call("explain", { session_id: sessionId, run_id: Object(message).run_id });
		expect(explained).toMatchObject({ feedback: [{ rating: "bad" }] });
	},
);

verifiesOn(
	"roz",
	["roz.token"],
	"a stream without a token ends with the status of authentication",
	async () => {
		await using gateway = await TestGateway.start({ config: { auth: "token" } });
		await using stream = new RozStream(gateway.url);
		expect(await stream.ended()).toMatchObject({ code: status.UNAUTHENTICATED });
	},
);
