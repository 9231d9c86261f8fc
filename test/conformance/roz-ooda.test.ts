import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says, uses } from "../simulators/anthropic/reply.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { RozStream, RozTeam, structOf } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const phases = ["observe", "orient", "decide", "act"];

async function startWithClaude(fake: FakeAnthropic, data = {}): Promise<TestGateway> {
	const { apiKey, url: baseUrl } = fake;
	const config = { provider: "anthropic", apiKey, baseUrl, model: "claude-sonnet-5-5" } as const;
	return TestGateway.start({ data, config });
}

const thinking = [says("facts"), says("meaning"), says("plan")] as const;

verifiesOn(
	"roz",
	["roz.ooda"],
	"a round has four requests with their own instructions, only act sees tools, and activity names the phase",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.script(...thinking, uses("toolu_1", "look"), ...thinking, says("done"));
		await using gateway = await startWithClaude(fake);
		await using stream = new RozStream(gateway.url);
		const look = { name: "look", description: "Looks.", parametersSchema: structOf({ type: "object" }) };
		await stream.start({ tools: [look] });
		stream.say("find it", { aiMode: "ooda_re_act" });
		const { toolCallId } = await stream.until("toolRequest");
		stream.send({ toolResult: { toolCallId, success: true, result: "it is here" } });
		expect(await stream.until("turnComplete")).toMatchObject({ stopReason: "end_turn" });
		const shown = stream.frames.flatMap(({ kind, value }) =>
			kind === "activityUpdate" && value["state"] === "thinking" ? [value["detail"]] : [],
		);
		expect(shown).toEqual([...phases, ...phases]);

		const bodies = fake.requests.map(({ body }) => body);
		const instructions = bodies.map(({ messages }) => JSON.stringify(messages.at(-1)));
		for (const [index, text] of instructions.entries())
			expect(text).toContain(`Phase: ${phases[index % 4]}.`);
		expect(bodies.map(({ tools = [] }) => tools.some((tool) => "description" in tool))).toEqual([
			...[false, false, false, true],
			...[false, false, false, true],
		]);
		// The API refuses a conversation with tool calls if the request has no tools. Therefore, the requests of the
		// second turn list the tools and forbid their use.
		expect(bodies.slice(0, 3).map(({ tools }) => tools)).toEqual([undefined, undefined, undefined]);
		expect(bodies.slice(4, 7).map(({ tool_choice: choice }) => choice?.type)).toEqual([
			"none",
			"none",
			"none",
		]);
		// The mode applies to one message, so this message uses the default mode.
		fake.script(says("plain"));
		stream.say("and now");
		await stream.until("turnComplete");
		expect(JSON.stringify(fake.requests.at(-1)?.body.messages.at(-1))).not.toContain("Phase:");
	},
);

const skill = [
	...["---", "name: round", "description: Works in rounds", "steps:"],
	...["  - id: a", "    title: Look", "    prompt: Look around", "---", ""],
].join("\n");

verifiesOn(
	"roz",
	["roz.ooda-workers"],
	"workers that a turn starts work in its mode, and WorkerPhase counts their phases",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.script(...thinking, says("all seen"));
		await using gateway = await startWithClaude(fake, { "skills/round.md": skill });
		await using stream = new RozStream(gateway.url);
		const { sessionId } = await stream.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.call("open_session", { session_id: sessionId });
		stream.say("/round", { aiMode: "ooda" });
		const { payload } = await client.event("skill.step.started");
		await stream.until("turnComplete");
		expect(stream.text("textDelta")).toContain("all seen");
		await using team = new RozTeam(gateway.url, String(payload["task_id"]));
		expect(await team.ended()).toMatchObject({ code: 0 });
		const shown = team.events.flatMap(({ kind, value }) =>
			kind === "workerPhase" ? [{ phase: 0, ...value }] : [],
		);
		expect(shown).toMatchObject(phases.map((_, phase) => ({ phase, mode: "ooda_re_act" })));
	},
);

const tool = (name: string) => ({
	name,
	description: "Works.",
	parametersSchema: structOf({ type: "object" }),
});

function hostOn(gateway: TestGateway, hostId = "rover"): RozStream {
	return new RozStream(gateway.url, { headers: { "parley-host-id": hostId } });
}

verifiesOn(
	"roz",
	["roz.host"],
	"act phases call the tools of the host, and other turns do not see them",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.script(...thinking, uses("toolu_1", "dig"), ...thinking, says("done"), says("plain"));
		await using gateway = await startWithClaude(fake);
		await using host = hostOn(gateway);
		await host.start({ tools: [tool("look")] });
		host.send({ registerTools: { source: "arm", tools: [tool("dig")] } });
		await using stream = new RozStream(gateway.url);
		const { permissions } = await stream.start({ hostId: "rover", tools: [tool("own")] });
		expect(permissions).toContainEqual(expect.objectContaining({ toolPattern: "dig", category: "physical" }));
		stream.say("dig a hole", { aiMode: "ooda" });
		const { toolCallId, toolName } = await host.until("toolRequest");
		expect(toolName).toBe("dig");
		host.send({ toolResult: { toolCallId, success: true, result: "it is dug" } });
		await stream.until("turnComplete");
		expect(stream.frames.filter(({ kind }) => kind === "toolRequest")).toEqual([]);
		const details = stream.frames.flatMap(({ kind, value }) =>
			kind === "activityUpdate" && value["state"] === "calling_tool" ? [value["detail"]] : [],
		);
		expect(details).toEqual(["dig"]);
		expect(JSON.stringify(fake.requests.at(-1)?.body.messages)).toContain("it is dug");
		stream.say("and now");
		await stream.until("turnComplete");
		const offered = fake.requests.map(({ body }) =>
			(body.tools ?? []).map((one) => "name" in one && one.name),
		);
		expect(offered[3]).toEqual(expect.arrayContaining(["own", "look", "dig"]));
		expect(offered.at(-1)).toContain("own");
		expect(offered.at(-1)).not.toContain("dig");
	},
);

verifiesOn(
	"roz",
	["roz.host-missing"],
	"a host that is not connected is named, and one that leaves interrupts its calls",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.script(...thinking, uses("toolu_1", "dig"), ...thinking, says("it broke"));
		await using gateway = await startWithClaude(fake);
		await using early = new RozStream(gateway.url);
		await early.start({ hostId: "rover" });
		early.say("dig", { aiMode: "ooda" });
		expect(await early.until("error")).toMatchObject({
			...{ code: "internal", retryable: true },
			message: expect.stringContaining('the host "rover" is not connected'),
		});
		await using host = hostOn(gateway);
		await host.start({ tools: [tool("dig")] });
		await using stream = new RozStream(gateway.url);
		await stream.start({ hostId: "rover" });
		stream.say("dig a hole", { aiMode: "ooda" });
		await host.until("toolRequest");
		host.break();
		await stream.until("turnComplete");
		expect(JSON.stringify(fake.requests.at(-1)?.body.messages)).toContain("disconnected before it answered");
		stream.say("again", { aiMode: "ooda" });
		expect(await stream.until("error")).toMatchObject({ code: "internal", retryable: true });
		// Plain turns need no host. The host reconnects below.
		fake.script(says("plain"));
		stream.say("hello");
		await stream.until("turnComplete");
		await using reconnected = hostOn(gateway);
		await reconnected.start({ tools: [tool("dig")] });
		fake.script(...thinking, says("done"));
		stream.say("again", { aiMode: "ooda" });
		await stream.until("turnComplete");
	},
);
