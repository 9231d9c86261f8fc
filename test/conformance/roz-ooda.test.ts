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
		// The API refuses a conversation with calls that names no tools, so they are named and forbidden.
		expect(bodies.slice(0, 3).map(({ tools }) => tools)).toEqual([undefined, undefined, undefined]);
		expect(bodies.slice(4, 7).map(({ tool_choice: choice }) => choice?.type)).toEqual([
			"none",
			"none",
			"none",
		]);
		// The mode is that of one message.
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
		await using team = new RozTeam(gateway.url, String(payload["task_id"]));
		expect(await team.ended()).toMatchObject({ code: 0 });
		const told = team.events.flatMap(({ kind, value }) =>
			kind === "workerPhase" ? [{ phase: 0, ...value }] : [],
		);
		expect(told).toMatchObject(phases.map((_, phase) => ({ phase, mode: "ooda_re_act" })));
	},
);
