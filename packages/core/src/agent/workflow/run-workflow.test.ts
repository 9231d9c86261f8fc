import { getEventListeners } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import { expect, test, vi } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, type ScriptedReply, says, stuck } from "../../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";
import { WorkflowScript } from "../../testing/workflow-script.ts";
import { skill as skillTool } from "../../tools/skill.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import { operator } from "../../vocabulary/principal.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";
import { oodaPhases } from "../../vocabulary/run-options.ts";
import type { SkillStep, Workflow } from "../../vocabulary/skill.ts";

function step(id: string, more: Partial<SkillStep> = {}): SkillStep {
	return { id, title: id, prompt: `do ${id}`, needs: [], ...more };
}

const diamond: Workflow = {
	name: "deploy",
	steps: [
		step("plan"),
		step("build", { needs: ["plan"], criteria: ["it has a version"] }),
		step("test", { needs: ["plan"] }),
		step("ship", { needs: ["build", "test"] }),
	],
};

const passed = [says('{"passed": true, "reason": "it has one"}')];
const unmet = [says('{"passed": false, "reason": "no version"}')];

interface Begun {
	readonly t: TestRuntime;
	readonly home: string;
	readonly log: EventLog;
	readonly runId: string;
}

async function begin(
	model: WorkflowScript,
	workflow: Workflow,
	{ given = "", options = {}, ...more }: BeginOptions = {},
): Promise<Begun> {
	const t = await TestRuntime.open({ ...more, model });
	await t.runtime.start();
	const home = await t.create();
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	const message = { content: `/${workflow.name} ${given}`.trim() };
	const started = { ...options, workflow: { workflow, arguments: given } };
	const { runId } = await t.runtime.send(unkeyed(), home, message, started);
	return { t, home, log, runId };
}

interface BeginOptions extends Partial<Omit<TestRuntimeOptions, "model">> {
	readonly given?: string;
	readonly options?: RunOptions;
}

function outline(log: EventLog): string[] {
	return log.events.flatMap(({ event }) => {
		if (event.type === "skill.started" || event.type === "skill.completed") return [event.type];
		if (event.type !== "skill.step.started" && event.type !== "skill.step.completed") return [];
		const short = `${event.type === "skill.step.started" ? "+" : "-"}${event.stepId}`;
		const tried = event.attempt === 1 ? short : `${short} ${event.attempt}`;
		return "error" in event && event.error !== "" ? [`${tried}: ${event.error}`] : [tried];
	});
}

function eventsOf<Type extends RecordedEvent["type"]>(log: EventLog, type: Type) {
	// The cast is safe because only events of this type remain.
	return log.events.flatMap(({ event }) => (event.type === type ? [event] : [])) as Extract<
		RecordedEvent,
		{ type: Type }
	>[];
}

/** Returns a function that creates replies. The replies start only when `count` requests have arrived. */
function together(count: number): (text: string) => ScriptedReply {
	const all = Promise.withResolvers<void>();
	let here = 0;
	return (text) =>
		async function* () {
			here += 1;
			if (here === count) all.resolve();
			await all.promise;
			yield says(text);
			yield { type: "end", stop: "end_turn", usage: usage(10, 5), model: "scripted-1" };
		};
}

const usage = (inputTokens: number, outputTokens: number) => ({
	inputTokens,
	outputTokens,
	cacheReadTokens: 0,
	cacheWriteTokens: 0,
});

test("the steps of a diamond run after their dependencies, in parallel, and again if criteria are not met", async () => {
	const both = together(2);
	const model = new WorkflowScript(
		{
			plan: [[says("planned\nsay: nothing")]],
			build: [both("built"), [says("built v2")]],
			test: [both("tested")],
			ship: [[says("shipped v2")]],
		},
		{ "do build": [unmet, passed] },
	);
	const { t, log, runId, home } = await begin(model, diamond, { given: "staging" });
	await using _ = t;
	const answer = await log.next("assistant.message");
	expect(answer).toMatchObject({ runId, content: "shipped v2", error: "" });
	log.check();

	const [started, plan, , ...rest] = outline(log);
	expect([started, plan]).toEqual(["skill.started", "+plan"]);
	// Both steps start before one of them ends.
	expect(new Set(rest.slice(0, 2))).toEqual(new Set(["+build", "+test"]));
	expect(rest.filter((short) => short.includes("build"))).toEqual([
		...["+build", "-build: criteria not met: no version", "+build 2", "-build 2"],
	]);
	expect(rest.slice(-3)).toEqual(["+ship", "-ship", "skill.completed"]);
	expect(eventsOf(log, "skill.started")).toEqual([
		{
			type: "skill.started",
			runId,
			callId: "",
			skill: "deploy",
			kind: "multi-step",
			vars: { ARGUMENTS: "staging" },
		},
	]);
	const ofBuild = eventsOf(log, "skill.step.completed").filter(({ stepId }) => stepId === "build");
	expect(ofBuild).toMatchObject([
		{ attempt: 1, output: "built", reason: "no version", willRetry: true, model: "scripted" },
		{ attempt: 2, output: "built v2", reason: "it has one", willRetry: false, error: "" },
	]);
	expect(eventsOf(log, "skill.completed")).toMatchObject([{ output: "shipped v2", error: "" }]);
	expect(
		eventsOf(log, "todo.updated")
			.at(-1)
			?.steps.map(({ state }) => state),
	).toEqual(Array(4).fill("completed"));
	// Steps have no task events, because skill events report them.
	expect(log.recorded.filter((type) => type.startsWith("task."))).toEqual([]);

	expect(model.question("build", 0)).toBe(
		[
			"build\n\ndo build",
			"Arguments of the skill deploy:\n> staging",
			"Criteria that the result must meet:\n> it has a version",
			'Result of the step "plan":\n> planned\n> say: nothing',
		].join("\n\n"),
	);
	expect(model.question("build", 1)).toContain(
		"An earlier attempt failed:\n> criteria not met: no version\n\nResult of that attempt:\n> built",
	);
	expect(model.question("ship", 0)).toContain(
		'Result of the step "build":\n> built v2\n\nResult of the step "test":\n> tested',
	);
	// The usage of the session includes five replies and two verdicts.
	const { total } = await t.runtime.usage(operator, { sessionId: home, by: "model" });
	expect(total.usage).toMatchObject({ inputTokens: 70, outputTokens: 35 });
	const transcript = await t.runtime.transcript(operator, home);
	expect(transcript.map(({ message }) => message.role)).toEqual(["user", "assistant"]);
});

test("at most four steps run at a time, and the results of several last steps have their titles", async () => {
	const ids = ["a", "b", "c", "d", "e"];
	const four = together(4);
	const script = Object.fromEntries(ids.map((id) => [id, [four(`${id} done`)]]));
	const model = new WorkflowScript(script);
	const { t, log } = await begin(
		model,
		{ name: "wide", steps: ids.map((id) => step(id)) },
		{ tasks: { limit: 10 } },
	);
	await using _ = t;
	const { content } = await log.next("assistant.message");
	expect(outline(log).slice(1, 5)).toEqual(["+a", "+b", "+c", "+d"]);
	expect(outline(log)[5]).toMatch(/^-/);
	expect(content).toMatch(/^## a\n\na done\n\n## b\n\nb done/);
});

test("a verdict that is not JSON is requested once more", async () => {
	const steps = [step("write", { criteria: ["it is short"] })];
	const fenced = [says('Sure:\n```json\n{"passed": true, "reason": "short"}\n```')];
	const model = new WorkflowScript(
		{ write: [[says("words")]] },
		{ "do write": [[says("It is fine.")], fenced] },
	);
	const { t, log } = await begin(model, { name: "note", steps });
	await using _ = t;
	expect(await log.next("assistant.message")).toMatchObject({ content: "words", error: "" });
	expect(model.verdicts[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
	expect(eventsOf(log, "skill.step.completed")).toMatchObject([{ reason: "short", error: "" }]);
	// The question contains the result as JSON data, not as separate text.
	const [verdictRequest] = model.verdicts[0]?.messages[0]?.content ?? [];
	expect(verdictRequest?.type === "text" && parseJson(verdictRequest.text)).toEqual({
		criteria: ["it is short"],
		task: "do write",
		result: "words",
	});
});

test("a step whose verdicts cannot be read fails after two retries, and the workflow with it", async () => {
	const steps = [
		step("first"),
		step("write", { needs: ["first"], criteria: ["it is short"] }),
		step("send", { needs: ["write"] }),
	];
	const model = new WorkflowScript(
		{ first: [[says("ok")]], write: [[says("w1")], [says("w2")], [says("w3")]] },
		{ "do write": Array(6).fill([says("yes")]) },
	);
	const { t, log } = await begin(model, { name: "note", steps });
	await using _ = t;
	const reason =
		"criteria not met: the model sent no valid verdict: the reply contains no JSON object; try again, or choose another model";
	const error = `The skill note failed at the step "write" after 3 attempts: ${reason}. Completed: first. Not started: send.`;
	expect(await log.next("assistant.message")).toMatchObject({ content: "", error });
	expect(outline(log).slice(3)).toEqual([
		...["+write", `-write: ${reason}`, "+write 2", `-write 2: ${reason}`, "+write 3", `-write 3: ${reason}`],
		"skill.completed",
	]);
	expect(eventsOf(log, "skill.step.completed").map(({ willRetry }) => willRetry)).toEqual([
		...[false, true, true, false],
	]);
	expect(
		eventsOf(log, "todo.updated")
			.at(-1)
			?.steps.map(({ state }) => state),
	).toEqual([...["completed", "pending", "skipped"]]);
	log.check();
});

test("the error of a failed step has one full stop", async () => {
	const refused = [says('{"passed": false, "reason": "No version."}')];
	const model = new WorkflowScript({ a: Array(3).fill([says("b")]) }, { "do a": Array(3).fill(refused) });
	const { t, log } = await begin(model, { name: "note", steps: [step("a", { criteria: ["it is b"] })] });
	await using _ = t;
	expect((await log.next("assistant.message")).error).toMatch(/criteria not met: No version\.$/);
});

test("after a failure the started steps run to their end, and no other step starts", async () => {
	const gate = Promise.withResolvers<void>();
	const slow: ScriptedReply = async function* () {
		await gate.promise;
		yield says("slow done");
		yield { type: "end", stop: "end_turn", usage: usage(1, 1), model: "scripted-1" };
	};
	const model = new WorkflowScript({
		bad: [[{ type: "end", stop: "refusal", usage: usage(1, 1), model: "scripted-1" }]],
		slow: [slow],
	});
	const steps = [step("bad"), step("slow"), step("next", { needs: ["slow"] })];
	const { t, log } = await begin(model, { name: "two", steps });
	await using _ = t;
	expect(await log.next("skill.step.completed")).toMatchObject({ stepId: "bad", willRetry: false });
	gate.resolve();
	expect(await log.next("skill.step.completed")).toMatchObject({ stepId: "slow", error: "" });
	const { error } = await log.next("assistant.message");
	expect(error).toMatch(
		/^The skill two failed at the step "bad": the model refused .*Completed: slow. Not started: next\.$/,
	);
	log.check();
});

async function writeSkill({ directory }: TestRuntime, name: string, facts: string): Promise<void> {
	const skills = join(directory, "data", "skills");
	await mkdir(skills, { recursive: true });
	await writeFile(join(skills, `${name}.md`), `---\n${facts}---\nBe brief.\n`);
}

/** Returns the errors of the first `count` runs that end in sessions other than `home`. */
function endsOf(t: TestRuntime, home: string, count: number): Promise<string[]> {
	const { promise, resolve } = Promise.withResolvers<string[]>();
	const errors: string[] = [];
	t.runtime.observe(operator, ({ sessionId, event }) => {
		if (sessionId === home || event.type !== "assistant.message") return;
		errors.push(event.error);
		if (errors.length === count) resolve(errors);
	});
	return promise;
}

test("cancelling the run cancels its open steps", async () => {
	const model = new WorkflowScript({ a: [stuck("thinking")], b: [stuck("thinking")], c: [] });
	const workflow = { name: "two", steps: [step("a"), step("b"), step("c", { needs: ["a"] })] };
	const { t, log, home } = await begin(model, workflow);
	await using _ = t;
	for (let n = 0; n < 2; n++) await log.next("skill.step.started");
	await model.requested("a");
	await model.requested("b");
	const stepsEnded = endsOf(t, home, 2);
	await t.runtime.cancel(unkeyed(), home);
	expect(await log.next("assistant.message")).toMatchObject({ content: "", error: "cancelled" });
	expect(outline(log).slice(3)).toEqual(["-a: cancelled", "-b: cancelled", "skill.completed"]);
	expect(eventsOf(log, "skill.completed")).toMatchObject([{ error: "cancelled", output: "" }]);
	log.check();
	const tasks = await t.runtime.tasks.list(operator, { limit: 10, sessionId: home });
	expect(tasks.map(({ state }) => state)).toEqual(["cancelled", "cancelled"]);
	expect(await stepsEnded).toEqual(["cancelled", "cancelled"]);
});

test("a workflow continues after a stop of the gateway, and completed steps do not run again", async () => {
	const workflow = { name: "two", steps: [step("a"), step("b", { needs: ["a"] })] };
	const first = new WorkflowScript({ a: [[says("a done")]], b: [stuck("half")] });
	const { t, home } = await begin(first, workflow);
	await first.requested("b");
	await t.stop();
	const second = new WorkflowScript({ b: [[says("b done")]] });
	await using again = await TestRuntime.open({ model: second, directory: t.directory, clock: t.clock });
	const log = await EventLog.join(again.runtime, home, { afterSeq: 0 });
	await again.runtime.start();
	expect(await log.next("assistant.message")).toMatchObject({ content: "b done", error: "" });
	expect(outline(log)).toEqual(["skill.started", "+a", "-a", "+b", "-b", "skill.completed"]);
	log.check();
});

test("a workflow of a call that is cancelled while the gateway is stopped ends at its next start, with its open steps", async () => {
	const first = new WorkflowScript({
		hello: [[calls("c1", "skill", { name: "sub" })]],
		a: [stuck("half")],
		b: [stuck("half")],
	});
	const t = await TestRuntime.open({ model: first, tools: [skillTool] });
	await writeSkill(t, "sub", "steps:\n  - {id: a, prompt: do a}\n  - {id: b, prompt: do b}\n");
	await t.runtime.start();
	const home = await t.create();
	await t.send(home, "hello");
	await Promise.all([first.requested("a"), first.requested("b")]);
	await t.stop();
	// After the restart, each step has called its model and waits for the reply.
	const model = new WorkflowScript({ hello: [], a: [stuck("half")], b: [stuck("half")] });
	const { directory, clock } = t;
	await using again = await TestRuntime.open({ model, directory, clock, tools: [skillTool] });
	const log = await EventLog.join(again.runtime, home, { afterSeq: 0 });
	await again.runtime.cancel(unkeyed(), home);
	const stepsEnded = endsOf(again, home, 2);
	await again.runtime.start();
	expect(await log.next("assistant.message")).toMatchObject({ content: "", error: "cancelled" });
	expect(outline(log).slice(3)).toEqual(["-a: cancelled", "-b: cancelled", "skill.completed"]);
	log.check();
	expect(await stepsEnded).toEqual(["cancelled", "cancelled"]);
});

test("the wait for a long step leaves no listeners on the signal of the workflow", async () => {
	const model = new WorkflowScript({ a: [stuck("half")] });
	const { t } = await begin(model, { name: "long", steps: [step("a")] });
	await model.requested("a");
	const added = vi.spyOn(EventTarget.prototype, "addEventListener");
	for (let waits = 0; waits < 12; waits++) {
		const before = added.mock.calls.length;
		t.clock.advance(15_000);
		await vi.waitFor(() => expect(added.mock.calls.length).toBeGreaterThan(before));
	}
	// The cast is safe because only event targets have the mocked method.
	const listeners = [...new Set(added.mock.contexts)].map(
		(signal) => getEventListeners(signal as EventTarget, "abort").length,
	);
	added.mockRestore();
	expect(Math.max(...listeners)).toBeLessThan(6);
	await t.stop();
});

test("a step has the tools of the run that the skill allows, and starts no workers or workflows", async () => {
	const tools = ["one", "two", "skill"].map((name) => probeTool(name));
	const model = new WorkflowScript({ a: [[says("done")]] });
	const workflow = { name: "narrow", tools: ["one", "skill", "three"], steps: [step("a")] };
	const { t, log } = await begin(model, workflow, { tools });
	await using _ = t;
	await log.next("assistant.message");
	expect(model.requests("a")[0]?.tools.map(({ name }) => name)).toEqual(["one", "todo"]);
});

test("text that a step has read taints its session, and the next steps", async () => {
	const tools = [probeTool("peek", { effect: "none", classes: ["read", "client"] })];
	const model = new WorkflowScript({ a: [[calls("c1", "peek")], [says("seen")]], b: [[says("done")]] });
	const workflow = { name: "read", steps: [step("a"), step("b", { needs: ["a"] })] };
	const { t, log, home } = await begin(model, workflow, { tools });
	await using _ = t;
	await log.next("assistant.message");
	const rows = await t.store.read((db) => db.selectFrom("sessions").select(["id", "taint"]).execute());
	expect(rows.find(({ id }) => id === home)?.taint).toBe("U");
	expect(rows.map(({ taint }) => taint)).toEqual(["U", "U", "U"]);
});

test("the approval of a step is requested in the session, and a denial reaches the step", async () => {
	const tools = [probeTool("drop", { classes: ["write", "irreversible"] })];
	const model = new WorkflowScript({ a: [[calls("c1", "drop")], [says("not dropped")]] });
	const { t, log } = await begin(model, { name: "ask", steps: [step("a")] }, { tools });
	await using _ = t;
	const { prompt } = await log.next("prompt.requested");
	expect(prompt).toMatchObject({ taskId: expect.any(String), approval: { tool: "drop" } });
	await t.runtime.answer(unkeyed(), prompt.token, { cancelled: true, reason: "not today" });
	expect(await log.next("assistant.message")).toMatchObject({ content: "not dropped" });
	log.check();
});

test("a denial cancels the workflow if the protocol of its run requires that", async () => {
	const tools = [probeTool("look", { effect: "none" })];
	const model = new WorkflowScript({ a: [[calls("c1", "look")]], b: [] });
	const workflow = { name: "ask", steps: [step("a"), step("b", { needs: ["a"] })] };
	const options = { ask: "all", onDenied: "cancel" } as const;
	const { t, log } = await begin(model, workflow, { tools, options });
	await using _ = t;
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { cancelled: true });
	expect(await log.next("assistant.message")).toMatchObject({ content: "", error: "cancelled" });
	log.check();
});

test("the budget of a run counts its steps", async () => {
	const model = new WorkflowScript({ a: [[says("a done")]], b: [] });
	const workflow = { name: "dear", steps: [step("a"), step("b", { needs: ["a"] })] };
	const { t, log } = await begin(model, workflow, { options: { budget: { tokens: 12 } } });
	await using _ = t;
	const error = "stopped: the budget of this run (12 tokens) is used up; set a larger budget";
	expect(await log.next("assistant.message")).toMatchObject({ content: "", error });
	expect(outline(log)).toEqual(["skill.started", "+a", "-a", "skill.completed"]);
	log.check();
});

test("a model that does not exist fails the workflow before a step starts", async () => {
	const model = new WorkflowScript({});
	const { t, log } = await begin(model, { name: "odd", steps: [step("a", { model: "nope" })] });
	await using _ = t;
	const { error } = await log.next("assistant.message");
	expect(error).toContain('there is no model "nope"');
	expect(outline(log)).toEqual([]);
});

test("the model starts a workflow, which has the tools that all skills of the run allow, and gets its result", async () => {
	const tools = [skillTool, ...["one", "two", "three"].map((name) => probeTool(name))];
	const model = new WorkflowScript({
		hello: [
			[calls("c1", "skill", { name: "text" })],
			[calls("c2", "skill", { name: "sub", arguments: "x" })],
			[says("it is done")],
		],
		Look: [[says("looked")]],
	});
	await using t = await TestRuntime.open({ model, tools });
	await writeSkill(t, "text", "tools: skill one two\n");
	const steps = "steps:\n  - {id: a, title: Look, prompt: look at $ARGUMENTS}\n";
	await writeSkill(t, "sub", `tools: one three\n${steps}`);
	await t.runtime.start();
	const home = await t.create();
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	await t.send(home, "hello");
	expect(await log.next("assistant.message")).toMatchObject({ content: "it is done", error: "" });
	const call = eventsOf(log, "tool.completed").at(-1);
	expect(call?.result).toBe("looked");
	expect(eventsOf(log, "skill.completed")[0]).toMatchObject({ callId: call?.callId, output: "looked" });
	expect(model.question("Look", 0)).toMatch(
		/^Look\n\n[\s\S]*Be brief\.\n\nlook at x\n\nArguments of the skill sub:\n> x$/,
	);
	expect(model.requests("Look")[0]?.tools.map(({ name }) => name)).toEqual(["one", "todo"]);
	log.check();
});

test("a step of a workflow that a schedule started has no grant of the session", async () => {
	const tools = [probeTool("look", { effect: "none", classes: ["exec-unsandboxed"] })];
	const model = new WorkflowScript({ a: [[calls("c1", "look")], [says("seen")]] });
	const workflow = { name: "late", steps: [step("a")] };
	const t = await TestRuntime.open({ model, tools });
	await using _ = t;
	await t.runtime.start();
	const home = await t.create();
	await t.runtime.acceptAll(unkeyed(), home);
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	const origin = { scheduleId: "sched_1", title: "late", show: "post", dueAt: 0, late: false } as const;
	const options = { origin, workflow: { workflow, arguments: "" } };
	await t.runtime.send(unkeyed(), home, { content: "/late" }, options);
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	expect(await log.next("assistant.message")).toMatchObject({ content: "seen" });
});

test("the steps of a workflow run in the mode of their run, and their workers report the phases", async () => {
	const model = new WorkflowScript({
		a: [[says("facts")], [says("meaning")], [says("plan")], [says("a done")]],
	});
	const workflow = { name: "round", steps: [step("a")] };
	const { t, log } = await begin(model, workflow, { options: { mode: "ooda" } });
	await using _ = t;
	const { taskId } = await log.next("skill.step.started");
	expect(await log.next("assistant.message")).toMatchObject({ content: "a done", error: "" });
	const { ownSessionId } = await t.runtime.tasks.check(operator, taskId);
	const phases: (string | undefined)[] = [];
	const stop = await t.runtime.watch(operator, ownSessionId, ({ event }) => {
		if (event.type === "worker.phased" && event.phase === "thinking") phases.push(event.ooda);
	});
	stop();
	expect(phases).toEqual(oodaPhases);
});
