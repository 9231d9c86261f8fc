import { calls, ScriptedModel, type ScriptedReply, says } from "@parley/core/testing";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RozStream } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { submit } from "./task-client.ts";
import { verifiesOn } from "./verifies.ts";

/** Starts to think, and then waits until the signal aborts. */
const thinksOn: ScriptedReply = async function* (_request, signal) {
	yield { type: "thinking", text: "Hm." };
	signal.throwIfAborted();
	await new Promise((_, reject) =>
		signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
	);
};
const round: readonly ScriptedReply[] = [[says("facts")], [says("meaning")], [says("plan")]];
const tool = (name: string) => ({ name, description: "" });

async function waiting(stream: RozStream): Promise<string> {
	for (;;) {
		const { state, detail } = await stream.until("activityUpdate");
		if (state === "waiting_approval") return String(detail);
	}
}

function workflow(prompt: string): Readonly<Record<string, string>> {
	const steps = ["steps:", "  - id: a", "    title: Ship", `    prompt: "${prompt}"`];
	return {
		"skills/release.md": ["---", "name: release", "description: Ships", ...steps, "---", ""].join("\n"),
	};
}

verifiesOn("roz", ["roz.cancel"], "text is sent once, also if a later model call is cancelled", async () => {
	const model = new ScriptedModel([says("Looking. "), calls("c1", "list_files")], thinksOn);
	await using gateway = await TestGateway.start({ model });
	await using stream = new RozStream(gateway.url);
	await stream.start();
	stream.say("go");
	await stream.until("thinkingDelta");
	stream.send({ cancelTurn: {} });
	await stream.until("turnComplete");
	expect(stream.text("textDelta")).toBe("Looking. ");
});

verifiesOn(
	"roz",
	["roz.answers"],
	"a call of the client's tool by a run of another client is answered",
	async () => {
		const model = new ScriptedModel([calls("c1", "look")], [says("done")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		const { sessionId } = await stream.start({ tools: [tool("look")] });
		await using other = await OzzieClient.connect(gateway.url);
		await other.open({ session_id: sessionId });
		await other.call("send_message", { content: "look there" });
		const { toolCallId } = await stream.until("toolRequest");
		stream.send({ toolResult: { toolCallId, success: true, result: "beans" } });
		await other.event("assistant.message");
		expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain("beans");
		stream.send({ toolResult: { toolCallId, success: true, result: "again" } });
		expect(await stream.until("error")).toMatchObject({ code: "no_active_turn" });
	},
);

verifiesOn(
	"roz",
	["roz.host"],
	"calls of two sessions and of the host itself do not mix, even with equal ids",
	async () => {
		const dig = (who: string) => [calls("c1", "dig", { who })];
		const model = new ScriptedModel(...round, dig("A"), dig("host"), [says("mine")], ...round, [says("dug")]);
		await using gateway = await TestGateway.start({ model });
		await using host = new RozStream(gateway.url, { headers: { "parley-host-id": "rover" } });
		await host.start({ tools: [tool("dig")] });
		await using a = new RozStream(gateway.url);
		await a.start({ hostId: "rover" });
		a.say("go", { aiMode: "ooda" });
		const hosted = await host.until("toolRequest");
		host.say("dig for yourself");
		const own = await host.until("toolRequest");
		expect(own["toolCallId"]).not.toBe(hosted["toolCallId"]);
		host.send({
			toolResult: { toolCallId: own["toolCallId"], success: true, result: "answer for the host" },
		});
		await host.until("turnComplete");
		host.send({ toolResult: { toolCallId: hosted["toolCallId"], success: true, result: "answer for A" } });
		await a.until("turnComplete");
		const sent = model.requests.map(({ messages }) => JSON.stringify(messages));
		expect(sent.at(-1)).toContain("answer for A");
		expect(sent.filter((text) => text.includes("answer for the host"))).toHaveLength(1);
		expect(
			sent.filter((text) => text.includes("answer for the host") && text.includes("answer for A")),
		).toEqual([]);
		// The gateway ignores the second result of the same call.
		host.send({ toolResult: { toolCallId: hosted["toolCallId"], success: true, result: "again" } });
		host.send({ ping: {} });
		await host.until("pong");
		expect(host.frames.filter(({ kind }) => kind === "error")).toEqual([]);
	},
);

verifiesOn(
	"roz",
	["roz.approval"],
	"a decision means the call of the own turn if a task waits with a call of the same id",
	async () => {
		await using gateway = await TestGateway.start();
		await using stream = new RozStream(gateway.url);
		const { sessionId } = await stream.start();
		await using other = await OzzieClient.connect(gateway.url);
		await other.open({ session_id: sessionId });
		await submit(other, "write: task.txt <<< from the task", { tools: ["write_file"] });
		const { payload: ofTask } = await other.event("prompt.request");
		stream.say("write: turn.txt <<< from the turn");
		const callId = await waiting(stream);
		expect(Object(ofTask["context"]).call_id).toBe(callId);
		stream.send({ permissionDecision: { toolCallId: callId, approved: true } });
		await stream.until("turnComplete");
		const { prompts } = await other.call("list_prompts", {});
		expect(prompts).toMatchObject([{ token: ofTask["token"] }]);
	},
);

verifiesOn(
	"roz",
	["roz.approval"],
	"the approval of a step of a workflow is shown and can be decided",
	async () => {
		await using gateway = await TestGateway.start({ data: workflow("write: x.txt <<< hi") });
		await using stream = new RozStream(gateway.url);
		await stream.start();
		stream.say("/release");
		stream.send({ permissionDecision: { toolCallId: await waiting(stream), approved: true } });
		expect(await stream.until("turnComplete")).toMatchObject({ stopReason: "end_turn" });
		expect(stream.text("textDelta")).toContain("write_file returned");
	},
);

verifiesOn("roz", ["roz.codes"], "a workflow whose step fails is agent_error", async () => {
	await using gateway = await TestGateway.start({ data: workflow("fail: invalid") });
	await using stream = new RozStream(gateway.url);
	await stream.start();
	stream.say("/release");
	const { code, retryable = false, message } = await stream.until("error");
	expect({ code, retryable }).toEqual({ code: "agent_error", retryable: false });
	expect(message).toContain("failed at the step");
});

verifiesOn(
	"roz",
	["roz.register"],
	"tools of one turn are not offered to later runs of other clients",
	async () => {
		const model = new ScriptedModel([says("one")], [says("two")]);
		await using gateway = await TestGateway.start({ model });
		await using stream = new RozStream(gateway.url);
		const { sessionId } = await stream.start({ tools: [tool("own")] });
		stream.say("go", { tools: [tool("only")] });
		await stream.until("turnComplete");
		await using other = await OzzieClient.connect(gateway.url);
		await other.open({ session_id: sessionId });
		await other.call("send_message", { content: "and now" });
		await other.event("assistant.message");
		const offered = model.requests.map(({ tools }) =>
			tools.map(({ name }) => name).filter((name) => /^o[nw]/.test(name)),
		);
		expect(offered).toEqual([["only"], ["own"]]);
	},
);

verifiesOn(
	"roz",
	["roz.models"],
	"an environment is an agent by its name, and a UUID is the default agent",
	async () => {
		const model = new ScriptedModel([says("mow")], [says("yes")]);
		await using gateway = await TestGateway.start({
			model,
			data: { "agents/gardener/agent.md": "Be a gardener.\n" },
		});
		for (const environmentId of ["gardener", "0b7d5b9e-0000-4000-8000-000000000001"]) {
			await using stream = new RozStream(gateway.url);
			await stream.start({ environmentId });
			stream.say("go");
			await stream.until("turnComplete");
		}
		expect(model.requests.map(({ system }) => system.includes("Be a gardener."))).toEqual([true, false]);
	},
);

verifiesOn(
	"roz",
	["roz.host"],
	"a run of another client that starts before the turn sees neither the tools of the turn nor those of its host",
	async () => {
		const model = new ScriptedModel(thinksOn, [says("second")], ...round, [says("third")]);
		await using gateway = await TestGateway.start({ model });
		await using host = new RozStream(gateway.url, { headers: { "parley-host-id": "rover" } });
		await host.start({ tools: [tool("odig")] });
		await using stream = new RozStream(gateway.url);
		const { sessionId } = await stream.start({ hostId: "rover", tools: [tool("own")] });
		await using other = await OzzieClient.connect(gateway.url);
		await other.open({ session_id: sessionId });
		await other.call("send_message", { content: "first" });
		// Waits for the first run's model call. Otherwise the second run could receive the scripted reply for the first
		// run.
		await other.event("internal.llm.call");
		await other.call("send_message", { content: "second" });
		stream.say("third", { aiMode: "ooda", tools: [tool("only")] });
		// The presence hint shows that the message was accepted.
		await stream.until("presenceHint");
		await other.call("cancel_turn", {});
		await stream.until("turnComplete");
		const offered = model.requests.map(({ tools }) =>
			tools.map(({ name }) => name).filter((name) => /^o(?:wn|nly|dig)$/.test(name)),
		);
		expect(offered[1]).toEqual(["own"]);
		expect(offered.at(-1)).toEqual(["only", "odig"]);
	},
);
