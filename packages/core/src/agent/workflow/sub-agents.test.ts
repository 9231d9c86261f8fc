import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ParleyError, parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { createRoutedModel } from "../../models/routed/routed-model.ts";
import { ModelTable } from "../../models/table/model-table.ts";
import type { Profile, Profiles } from "../../policy/profiles/profile.ts";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says, stuck } from "../../testing/scripted-model.ts";
import { testConnector } from "../../testing/test-connector.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";
import { createDirectory } from "../../testing/tool-context.ts";
import { WorkflowScript } from "../../testing/workflow-script.ts";
import { delegate } from "../../tools/delegate.ts";
import { skill } from "../../tools/skill.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { Model, ModelRequest } from "../../vocabulary/model.ts";
import { operator, type Principal } from "../../vocabulary/principal.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";

function profilesOf(...profiles: readonly Profile[]): Profiles {
	const all = [{ name: "default", title: "Parley", sampling: {} }, ...profiles];
	return {
		async find(name) {
			const found = all.find((profile) => profile.name === name);
			if (found) return found;
			throw new ParleyError(`agent not found: ${name}`, { code: "invalid_argument" });
		},
		list: async () => ({ profiles: all, problems: [] }),
	};
}

const work = (title: string, more: object = {}) => ({ title, instructions: `do ${title}`, ...more });

function delegating(...items: readonly object[]): ScriptedReply {
	return [calls("c1", "delegate", { work: items })];
}

interface BeginOptions extends Partial<Omit<TestRuntimeOptions, "model">> {
	readonly options?: RunOptions;
}

async function begin(model: Model, { options = {}, ...more }: BeginOptions = {}) {
	const tools = [delegate, skill, ...["one", "two"].map((name) => probeTool(name))];
	const t = await TestRuntime.open({ tools, ...more, model });
	await t.runtime.start();
	const home = await t.create();
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	const { runId } = await t.runtime.send(unkeyed(), home, { content: "hello" }, options);
	return { t, home, log, runId };
}

function eventsOf<Type extends RecordedEvent["type"]>(log: EventLog, type: Type) {
	// The cast is safe because only events of this type remain.
	return log.events.flatMap(({ event }) => (event.type === type ? [event] : [])) as Extract<
		RecordedEvent,
		{ type: Type }
	>[];
}

function resultsOf(log: EventLog): string[] {
	return log.events.flatMap(({ event }) => {
		if (event.type === "tool.completed") return [event.result];
		return event.type === "tool.failed" ? [event.error] : [];
	});
}

const resultOf = (log: EventLog): string | undefined => resultsOf(log).at(-1);

test("sub-agents work in parallel in conversations of their own, and their results are one result", async () => {
	const model = new WorkflowScript({
		hello: [delegating(work("A"), work("B")), [says("both done")]],
		A: [[says("a done")]],
		B: [[says("b done")]],
	});
	const { t, log, home, runId } = await begin(model);
	await using _ = t;
	expect(await log.next("assistant.message")).toMatchObject({ content: "both done", error: "" });
	expect(resultOf(log)).toBe("## A\n\na done\n\n## B\n\nb done");
	expect(model.question("A", 0)).toBe(
		"A\n\n(Assigned by the agent of the conversation that this work is part of.)\ndo A",
	);
	// A sub-agent gets neither the conversation, nor tools for workflows and sub-agents.
	expect(model.requests("A")[0]?.messages).toHaveLength(1);
	expect(model.requests("A")[0]?.tools.map(({ name }) => name)).toEqual(["one", "two", "todo"]);
	expect(eventsOf(log, "skill.started")).toMatchObject([{ runId, callId: "c1", skill: "delegate" }]);
	const steps = eventsOf(log, "todo.updated").at(-1)?.steps;
	expect(steps).toEqual([
		{ title: "A", state: "completed", durationMs: expect.any(Number) },
		{ title: "B", state: "completed", durationMs: expect.any(Number) },
	]);
	// The usage of the session includes two replies of the run and two replies of sub-agents.
	const { total } = await t.runtime.usage(operator, { sessionId: home, by: "model" });
	expect(total.usage).toMatchObject({ inputTokens: 40, outputTokens: 20 });
	log.check();
});

test("the failure of one sub-agent does not affect the others, and the model gets both", async () => {
	const refusal = { type: "end", stop: "refusal", usage: usage(1, 1), model: "scripted-1" } as const;
	const model = new WorkflowScript({
		hello: [delegating(work("A"), work("B")), [says("half done")]],
		A: [[refusal]],
		B: [[says("b done")]],
	});
	const { t, log } = await begin(model);
	await using _ = t;
	expect(await log.next("assistant.message")).toMatchObject({ content: "half done", error: "" });
	expect(resultOf(log)).toMatch(
		/^## A\n\nThe sub-agent "A" did not complete its work: the model refused .*\n\n## B\n\nb done$/s,
	);
	expect(eventsOf(log, "todo.updated").at(-1)?.steps).toMatchObject([
		{ title: "A", state: "skipped" },
		{ title: "B", state: "completed" },
	]);
});

const reader: Profile = {
	name: "reader",
	title: "Reader",
	instructions: "You read.",
	tools: ["one", "three"],
	sampling: {},
};

test("another agent has its own instructions, and only tools that both agents have", async () => {
	const model = new WorkflowScript({
		hello: [delegating(work("A", { agent: "reader" })), [says("done")]],
		"reader: A": [[says("read")]],
	});
	const tools = [delegate, ...["one", "two", "three"].map((name) => probeTool(name))];
	const { t, log } = await begin(model, {
		tools,
		profiles: profilesOf(reader),
		options: { tools: ["delegate", "one", "two"] },
	});
	await using _ = t;
	await log.next("assistant.message");
	const [request] = model.requests("reader: A");
	expect(request?.tools.map(({ name }) => name)).toEqual(["one", "todo"]);
	expect(resultOf(log)).toBe("read");
	const [started] = eventsOf(log, "skill.step.started");
	expect(started).toMatchObject({ title: "reader: A", model: "scripted" });
});

test("an unknown agent, and a tool that the agent does not have, are refused before a sub-agent starts", async () => {
	const model = new WorkflowScript({
		hello: [
			delegating(work("A", { agent: "nobody" })),
			[calls("c2", "delegate", { work: [work("A", { tools: ["delegate"] })] })],
			[says("no")],
		],
	});
	const { t, log } = await begin(model, { profiles: profilesOf(reader) });
	await using _ = t;
	expect(await log.next("assistant.message")).toMatchObject({ content: "no" });
	const failures = resultsOf(log);
	expect(failures[0]).toContain("agent not found: nobody");
	expect(failures[1]).toContain('you have no tool "delegate" for a sub-agent; available: one, two');
	expect(eventsOf(log, "skill.started")).toEqual([]);
});

test("a sub-agent ends when its tokens are used up, and its last text is in the result", async () => {
	const model = new WorkflowScript({
		hello: [delegating(work("A", { max_tokens: 1_000 })), [says("too long")]],
		A: [
			async function* () {
				yield says("half of it");
				yield calls("s1", "one");
				yield { type: "end", stop: "tool_use", usage: usage(900, 200), model: "scripted-1" };
			},
		],
	});
	const { t, log } = await begin(model);
	await using _ = t;
	await log.next("assistant.message");
	expect(resultOf(log)).toContain(
		'The sub-agent "A" did not complete its work: stopped: the budget of this run',
	);
});

test("the budget of the run is shared by its sub-agents", async () => {
	const model = new WorkflowScript({
		hello: [delegating(work("A"), work("B")), [says("done")]],
		A: [[says("a")]],
		B: [[says("b")]],
	});
	const { t, log } = await begin(model, { options: { budget: { tokens: 10_015 } } });
	await using _ = t;
	await log.next("assistant.message");
	const rows = await t.store.read((db) => db.selectFrom("runs").select("options").execute());
	const budgets = rows.flatMap(({ options }) => (options?.includes("rulesOf") ? [parseJson(options)] : []));
	expect(budgets).toMatchObject([{ budget: { tokens: 5_000 } }, { budget: { tokens: 5_000 } }]);
});

test("the approval of a sub-agent is requested in the session, with its name", async () => {
	const tools = [delegate, probeTool("drop", { classes: ["write", "irreversible"] })];
	const model = new WorkflowScript({
		hello: [delegating(work("A", { agent: "reader" })), [says("done")]],
		"reader: A": [[calls("s1", "drop")], [says("not dropped")]],
	});
	const profiles = profilesOf({ name: "reader", title: "Reader", sampling: {} });
	const { t, log } = await begin(model, { tools, profiles });
	await using _ = t;
	const { prompt } = await log.next("prompt.requested");
	expect(prompt.approval?.warnings).toContain('requested by the sub-agent "reader: A"');
	await t.runtime.answer(unkeyed(), prompt.token, { cancelled: true, reason: "not today" });
	await log.next("assistant.message");
	expect(resultOf(log)).toBe("not dropped");
});

test("untrusted text taints the sub-agent, and its result taints the session", async () => {
	const tools = [delegate, probeTool("peek", { effect: "none", classes: ["read", "client"] })];
	const model = new WorkflowScript({
		hello: [delegating(work("A")), [says("done")]],
		A: [[calls("s1", "peek")], [says("seen")]],
	});
	const { t, log, home } = await begin(model, { tools });
	await using _ = t;
	await log.next("assistant.message");
	const rows = await t.store.read((db) => db.selectFrom("sessions").select(["id", "taint"]).execute());
	expect(rows.find(({ id }) => id === home)?.taint).toBe("U");
	expect(rows.map(({ taint }) => taint)).toEqual(["U", "U"]);
});

test("a secret in the title of work is in no event", async () => {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
	const model = new WorkflowScript({
		hello: [delegating(work(`use ${secret}`, { instructions: "go" })), [says("done")]],
		"use [redacted]": [[says("used")]],
	});
	const { t, log } = await begin(model);
	await using _ = t;
	await log.next("assistant.message");
	expect(resultOf(log)).toBe("used");
	expect(eventsOf(log, "skill.step.completed")).toMatchObject([{ title: "use [redacted]" }]);
	expect(JSON.stringify(log.events)).not.toContain(secret);
});

test("cancelling the run cancels its sub-agents", async () => {
	const model = new WorkflowScript({
		hello: [delegating(work("A"), work("B"))],
		A: [stuck("thinking")],
		B: [stuck("thinking")],
	});
	const { t, log, home } = await begin(model);
	await using _ = t;
	await Promise.all([model.requested("A"), model.requested("B")]);
	await t.runtime.cancel(unkeyed(), home);
	expect(await log.next("assistant.message")).toMatchObject({ error: "cancelled" });
	const tasks = await t.runtime.tasks.list(operator, { limit: 10, sessionId: home });
	expect(tasks.map(({ state }) => state)).toEqual(["cancelled", "cancelled"]);
	log.check();
});

test.each(["while the gateway works", "while the gateway is stopped"])(
	"approvals of a sub-agent name the person who stops the run %s",
	async (moment) => {
		const asks = { hello: [delegating(work("A"))], A: [[calls("s1", "edit")]] };
		const tools = [delegate, probeTool("edit", { classes: ["write"] })];
		const { t, log, home } = await begin(new WorkflowScript(asks), { tools });
		const { prompt } = await log.next("prompt.requested");
		const { directory, clock } = t;
		const isStopped = moment.endsWith("stopped");
		if (isStopped) await t.stop();
		await using again = isStopped
			? await TestRuntime.open({ model: new WorkflowScript(asks), directory, clock, tools })
			: t;
		const later = await EventLog.join(again.runtime, home, { afterSeq: 0 });
		await again.runtime.cancel(unkeyed(), home);
		await again.runtime.start();
		const closed = await later.next("prompt.closed");
		expect(closed).toEqual({
			type: "prompt.closed",
			token: prompt.token,
			reason: "cancelled",
			by: "operator",
		});
		later.check();
	},
);

/**
 * Restarts the gateway after sub-agent A has completed, while sub-agent B runs with `settings`. After the
 * restart, B gets `reply`.
 */
async function restartDuring(settings: object, reply: ScriptedReply) {
	const first = new WorkflowScript({
		hello: [delegating(work("A"), work("B", settings))],
		A: [[says("a done")]],
		B: [stuck("half")],
	});
	const { t, log, home } = await begin(first);
	await log.next("skill.step.completed");
	await first.requested("B");
	await t.stop();
	const model = new WorkflowScript({ hello: [[says("all done")]], B: [reply] });
	const tools = [delegate, probeTool("one")];
	const { directory, clock } = t;
	const again = await TestRuntime.open({ model, directory, clock, tools });
	const later = await EventLog.join(again.runtime, home, { afterSeq: 0 });
	await again.runtime.start();
	expect(await later.next("assistant.message")).toMatchObject({ content: "all done" });
	return { again, later };
}

test("after a restart a completed sub-agent does not work again, and an open one continues", async () => {
	const { again, later } = await restartDuring({}, [says("b done")]);
	await using _ = again;
	expect(resultOf(later)).toBe("## A\n\na done\n\n## B\n\nb done");
	expect(eventsOf(later, "skill.started")).toHaveLength(1);
	later.check();
});

test("after a restart a sub-agent has its limit of tokens", async () => {
	const end = { type: "end", stop: "tool_use", usage: usage(6_900, 200), model: "scripted-1" } as const;
	const { again, later } = await restartDuring({ max_tokens: 7_000 }, [calls("s1", "one"), end]);
	await using _ = again;
	expect(resultOf(later)).toContain(
		'The sub-agent "B" did not complete its work: stopped: the budget of this run',
	);
});

test("a run can have 16 sub-agents", async () => {
	const four = [work("A"), work("B"), work("C"), work("D")];
	const once = Array(4).fill([says("done")]);
	const rounds = ["c1", "c2", "c3", "c4", "c5"].map((id) => [calls(id, "delegate", { work: four })]);
	const model = new WorkflowScript({
		hello: [...rounds, [says("enough")]],
		A: once,
		B: once,
		C: once,
		D: once,
	});
	const { t, log } = await begin(model);
	await using _ = t;
	expect(await log.next("assistant.message")).toMatchObject({ content: "enough" });
	expect(resultOf(log)).toContain("more than the maximum of 16: delegate less work, or do it yourself");
	expect(eventsOf(log, "skill.step.started")).toHaveLength(16);
});

test("the rules of both agents apply to the calls of a sub-agent", async () => {
	await using place = await createDirectory();
	const agents = join(place.path, "agents");
	const rules = [{ effect: "deny", tool: "one", reason: "not here" }];
	await mkdir(join(agents, "default"), { recursive: true });
	await writeFile(join(agents, "default", "policy.jsonc"), JSON.stringify({ rules }));
	const model = new WorkflowScript({
		hello: [delegating(work("A", { agent: "reader" })), [says("done")]],
		"reader: A": [[calls("s1", "one")], [says("it was denied")]],
	});
	const policy = { file: join(place.path, "policy.jsonc"), agents };
	const { t, log } = await begin(model, {
		policy,
		profiles: profilesOf({ name: "reader", title: "Reader", sampling: {} }),
	});
	await using _ = t;
	await log.next("assistant.message");
	const answers = model.requests("reader: A")[1]?.messages.at(-1)?.content;
	expect(JSON.stringify(answers)).toContain("not here");
});

test("a guest of a channel cannot choose the agent, and a member can", async () => {
	for (const [role, expected] of [
		["guest", /a sender of this request may not choose the agent/],
		["member", /^read$/],
	] as const) {
		const { t, text } = await delegatedBy(testConnector(role));
		await using _ = t;
		expect(text).toMatch(expected);
	}
});

test("work for an agent with another model server or provider than the run needs an approval", async () => {
	const at = (url: string): Pick<Profile, "endpoint"> => ({ endpoint: { url } });
	const [one, other] = [at("https://one.example"), at("https://other.example")];
	const elsewhere = { model: "elsewhere/model" };
	for (const [own, delegated, leavesServer] of [
		[{}, {}, false],
		[one, one, false],
		[{}, one, true],
		[one, {}, true],
		[one, other, true],
		[{}, elsewhere, true],
		[elsewhere, {}, true],
		[elsewhere, elsewhere, false],
	] as const) {
		const script = new WorkflowScript({
			hello: [delegating(work("A", { agent: "helper" })), [says("done")]],
			"helper: A": [[says("a")]],
		});
		const away: Model = {
			provider: "elsewhere",
			defaultModel: "model",
			stream: (request, signal) => script.stream(request, signal),
		};
		const { t, log } = await begin(createRoutedModel(script, [away]), {
			table: new ModelTable([], [], { home: "scripted", others: ["elsewhere"] }),
			modelAt: () => script,
			profiles: profilesOf(
				{ name: "main", title: "Main", sampling: {}, ...own },
				{ name: "helper", title: "Helper", sampling: {}, ...delegated },
			),
			options: { agent: "main" },
		});
		await using _ = t;
		if (leavesServer) {
			const { prompt } = await log.next("prompt.requested");
			expect(prompt.approval?.warnings).toContain(
				"an agent with another model server or provider gets the instructions",
			);
			await t.runtime.answer(unkeyed(), prompt.token, { cancelled: true, reason: "no" });
		}
		await log.next("assistant.message");
		expect(eventsOf(log, "prompt.requested")).toHaveLength(leavesServer ? 1 : 0);
		expect(eventsOf(log, "skill.started")).toHaveLength(leavesServer ? 0 : 1);
	}
});

test("after a restart an open sub-agent continues, although its tool is missing", async () => {
	const { again, later } = await restartDuring({ tools: ["two"] }, [says("b done")]);
	await using _ = again;
	expect(resultOf(later)).toBe("## A\n\na done\n\n## B\n\nb done");
});

async function delegatedBy(principal: Principal) {
	const script = [delegating(work("A", { agent: "reader" })), [says("done")]];
	let replies = 0;
	const model: Model = {
		provider: "scripted",
		defaultModel: "scripted",
		stream: (request, signal) => new ScriptedModel(replyTo(request)).stream(request, signal),
	};
	const replyTo = (request: ModelRequest): ScriptedReply =>
		request.system.includes("You read.") ? [says("read")] : (script[replies++] ?? []);
	const profiles = profilesOf(reader);
	const tools = [delegate, probeTool("one"), probeTool("three")];
	const t = await TestRuntime.open({ tools, profiles, model });
	await t.runtime.start();
	const home = await t.create(principal);
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	await t.runtime.send(unkeyed(principal), home, { content: "hello" });
	await log.next("assistant.message");
	return { t, text: resultOf(log) };
}

const usage = (inputTokens: number, outputTokens: number) => ({
	inputTokens,
	outputTokens,
	cacheReadTokens: 0,
	cacheWriteTokens: 0,
});
