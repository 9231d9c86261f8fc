import { mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { EventFrame } from "@parley/protocol";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

/** Skill whose step `build` meets its criteria at the second attempt. */
const deploy = `---
steps:
  - id: plan
    title: Planning
    prompt: "say: planned $ARGUMENTS"
  - id: build
    title: Building project
    needs: [plan]
    prompt: "run: printf x >> tries; cat tries"
    criteria: "contains: xx"
  - id: test
    needs: [plan]
    prompt: "long: 20 tokens at 40 per second"
  - id: ship
    needs: [build, test]
    prompt: "say: shipped $0"
---
Deploys a project.
`;

verifiesOn(
	"ozzie",
	["skill.events", "skill.steps"],
	"a skill with parallel steps reports each attempt of each step, in order",
	async () => {
		await using gateway = await TestGateway.start({ data: { "skills/deploy.md": deploy } });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("accept_all_tools");
		const { run_id } = await client.call("send_message", { content: "/deploy staging" });
		const frames: EventFrame[] = [];
		do frames.push(await client.event());
		while (frames.at(-1)?.event !== "assistant.message");

		const received = frames.filter(({ event }) => event.startsWith("skill.")).map(inShort);
		expect(received.slice(0, 3)).toEqual(["skill.started", "+plan 1", "-plan 1"]);
		expect(received.slice(3, 5).toSorted()).toEqual(["+build 1", "+test 1"]);
		expect(received.filter((short) => short.includes("build"))).toEqual([
			...["+build 1", "-build 1 again", "+build 2", "-build 2"],
		]);
		expect(received.slice(-3)).toEqual(["+ship 1", "-ship 1", "skill.completed"]);

		const skill = { skill_name: "deploy", run_id, call_id: "" };
		expect(payloads(frames, "skill.started")).toEqual([
			{ ...skill, type: "multi-step", vars: { ARGUMENTS: "staging" } },
		]);
		const step = {
			...{ ...skill, step_id: "build", step_title: "Building project", model: "offline" },
			task_id: expect.stringMatching(/^task_/),
		};
		const ofBuild = (name: string) => payloads(frames, name).filter(({ step_id }) => step_id === "build");
		expect(ofBuild("skill.step.started")).toEqual([
			{ ...step, attempt: 1 },
			{ ...step, attempt: 2 },
		]);
		const duration = expect.any(Number);
		const reason = 'the result does not contain "xx"';
		expect(ofBuild("skill.step.completed")).toEqual([
			{
				...{ ...step, attempt: 1, output: expect.stringContaining("x"), duration },
				...{ error: `criteria not met: ${reason}`, reason, will_retry: true },
			},
			{
				...{ ...step, attempt: 2, output: expect.stringContaining("xx"), duration },
				...{ error: "", reason: expect.any(String), will_retry: false },
			},
		]);
		const output = "[offline] shipped staging";
		expect(payloads(frames, "skill.completed")).toEqual([{ ...skill, output, error: "", duration }]);
		expect(payloads(frames, "assistant.message")).toMatchObject([{ content: output, error: "" }]);
		expect(payloads(frames, "todo.updated").at(-1)).toMatchObject({ percentage: 100, total_steps: 4 });
		expect(frames.some(({ event }) => event.startsWith("task."))).toBe(false);
	},
);

function payloads(frames: readonly EventFrame[], name: string): Readonly<Record<string, unknown>>[] {
	return frames.filter(({ event }) => event === name).map(({ payload }) => Object(payload));
}

function inShort({ event, payload }: EventFrame): string {
	const { step_id, attempt, will_retry } = Object(payload);
	if (step_id === undefined) return event;
	const suffix = will_retry === true ? " again" : "";
	return `${event === "skill.step.started" ? "+" : "-"}${step_id} ${attempt}${suffix}`;
}

verifiesOn(
	"ozzie",
	["skill.events", "skill.start"],
	"a message starts a skill with its arguments, except skills for the agent alone",
	async () => {
		const data = {
			"skills/greet.md": "say: Hello $0",
			"skills/agent.md": "---\nuser_invocable: false\n---\nsay: never",
		};
		await using gateway = await TestGateway.start({ data });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", { content: "/greet Bob" });
		expect((await client.event("skill.started")).payload).toMatchObject({
			...{ skill_name: "greet", type: "simple", vars: { ARGUMENTS: "Bob" } },
		});
		expect((await client.event("skill.completed")).payload).toMatchObject({
			...{ skill_name: "greet", output: "[offline] Hello Bob", error: "" },
		});
		await client.event("assistant.message");
		expect(await client.refusal("send_message", { content: "/agent" })).toContain(
			"only the agent can start the skill",
		);
		await client.call("send_message", { content: "/unknown Bob" });
		expect((await client.event("user.message")).payload).toMatchObject({ content: "/unknown Bob" });
	},
);

verifiesOn(
	"ozzie",
	["skill.events"],
	"sub-agents of a call are steps, and their approvals are requested in the session",
	async () => {
		const data = { "agents/poet/agent.md": "You write." };
		await using gateway = await TestGateway.start({ data });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const work = [
			{ title: "Count", instructions: "write: count.txt <<< three" },
			{ title: "Rhyme", instructions: "say: time", agent: "poet" },
		];
		const content = `tool: delegate ${JSON.stringify({ work })}`;
		const { run_id } = await client.call("send_message", { content });
		const { payload } = await client.event("prompt.request");
		expect(payload).toMatchObject({ label: "Allow write count.txt?" });
		expect(JSON.stringify(payload)).toContain("requested by the sub-agent");
		await client.call("prompt_response", { token: payload["token"], value: true });
		const skill = { skill_name: "delegate", run_id };
		const { output, ...ended } = Object((await client.event("skill.completed")).payload);
		expect(ended).toMatchObject({ ...skill, error: "" });
		expect(output).toContain("## poet: Rhyme\n\n[offline] time");
		expect((await client.event("assistant.message")).payload).toMatchObject({ error: "" });
	},
);

verifiesOn(
	"ozzie",
	["skill.trust"],
	"skills of a directory need trust, and again after a change",
	async () => {
		await using gateway = await TestGateway.start();
		const file = gateway.path("work", ".parley/skills/build.md");
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, "say: built");
		await using client = await OzzieClient.connect(gateway.url);
		const directory = gateway.path("work");
		await client.call("open_session", { root_dir: directory });
		expect(await client.refusal("send_message", { content: "/build" })).toContain("not trusted");
		const { digest } = await client.call("list_skills", { directory });
		await client.call("trust_skills", { directory, digest });
		await client.call("send_message", { content: "/build" });
		expect((await client.event("assistant.message")).payload).toMatchObject({ content: "[offline] built" });
		await writeFile(file, "say: hacked");
		expect(await client.refusal("trust_skills", { directory, digest })).toContain("have changed");
		expect(await client.refusal("send_message", { content: "/build" })).toContain(
			"changed since it was trusted",
		);
		expect(await client.call("show_skill", { directory, name: "build" })).toMatchObject({
			...{ trust: "changed", changes: expect.stringContaining("-say: built\n") },
		});
		expect(await client.call("untrust_skills", { directory })).toEqual({ status: "untrusted", skills: 1 });
	},
);
