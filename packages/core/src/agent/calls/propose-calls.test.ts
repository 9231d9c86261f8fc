import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { addTaint } from "../../store/session-taint.ts";
import { EventLog } from "../../testing/event-log.ts";
import { type ProbeOptions, probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { createDirectory } from "../../testing/tool-context.ts";

const writing: ProbeOptions = { classes: ["write"] };

test("all approvals of a reply are requested before the first answer, and calls run in the order of the reply", async () => {
	const ran: string[] = [];
	const tool = (name: string, options: ProbeOptions) =>
		probeTool(name, {
			...options,
			run: async () => {
				ran.push(name);
				return name;
			},
		});
	const tools = [tool("free", {}), tool("first", writing), tool("second", writing), tool("third", writing)];
	const model = new ScriptedModel(
		[calls("c1", "free"), calls("c2", "first"), calls("c3", "second"), calls("c4", "third")],
		[says("done")],
	);
	await using t = await TestRuntime.open({ model, tools });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const one = await log.next("prompt.requested");
	const two = await log.next("prompt.requested");
	const three = await log.next("prompt.requested");
	expect(one.prompt).toMatchObject({ type: "confirm", label: "Allow first?", approval: { callId: "c2" } });
	await expect(log.next("calls.proposed")).resolves.toMatchObject({
		calls: [
			{ callId: "c1", name: "free", arguments: {} },
			{ callId: "c2", token: one.prompt.token },
			{ callId: "c3", token: two.prompt.token },
			{ callId: "c4", token: three.prompt.token },
		],
	});
	const { id = "" } = one.prompt.approval?.reply ?? {};
	expect(id).toMatch(/^run_.*\/1$/);
	expect([one, two, three].map(({ prompt }) => prompt.approval?.reply)).toEqual([
		{ id, place: 1, count: 3 },
		{ id, place: 2, count: 3 },
		{ id, place: 3, count: 3 },
	]);
	await log.next("tool.completed");
	expect(ran).toEqual(["free"]);
	await t.runtime.answer(unkeyed(), three.prompt.token, { value: true });
	await t.runtime.answer(unkeyed(), two.prompt.token, { cancelled: true, reason: "not that one" });
	// A denied call gets its result immediately, while the calls before it wait.
	await expect(log.next("tool.failed")).resolves.toMatchObject({ callId: "c3" });
	expect(ran).toEqual(["free"]);
	await t.runtime.answer(unkeyed(), one.prompt.token, { value: true });
	await log.next("assistant.message");
	log.check();
	expect(ran).toEqual(["free", "first", "third"]);
	expect(model.requests[1]?.messages.at(-1)).toEqual({
		role: "tool",
		content: [
			{ type: "result", callId: "c1", text: "free", failed: false },
			{ type: "result", callId: "c2", text: "first", failed: false },
			{
				type: "result",
				callId: "c3",
				failed: true,
				text: "denied by the approver: not that one",
			},
			{ type: "result", callId: "c4", text: "third", failed: false },
		],
	});
});

test.for([
	{ approved: true, plans: 2 },
	{ approved: false, plans: 1 },
])("a call is planned again only if a call before it has run: $approved", async ({ approved, plans }) => {
	let planned = 0;
	const binding = () => {
		planned += 1;
		return {};
	};
	const tools = [probeTool("edit", writing), probeTool("look", { effect: "none", binding })];
	const model = new ScriptedModel([calls("c1", "edit"), calls("c2", "look")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { value: approved });
	await log.next("assistant.message");
	log.check();
	expect(planned).toBe(plans);
});

test("clients see when an approved call begins to run, and a denied call never does", async () => {
	const tools = [probeTool("edit", writing)];
	const model = new ScriptedModel([calls("c1", "edit"), calls("c2", "edit")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const one = await log.next("prompt.requested");
	const two = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), two.prompt.token, { value: false });
	await t.runtime.answer(unkeyed(), one.prompt.token, { value: true });
	await log.next("assistant.message");
	log.check();
	const ofCalls = log.events.flatMap(({ event }) =>
		"callId" in event ? [`${event.type} ${event.callId}`] : [],
	);
	expect(ofCalls).toEqual([
		...["tool.started c1", "tool.started c2", "tool.failed c2"],
		...["tool.running c1", "tool.completed c1"],
	]);
});

test("answers before and after a restart have the same effect, in any order", async () => {
	const ran: string[] = [];
	const tool = probeTool("edit", { ...writing, run: async ({ callId }) => `${ran.push(callId)}` });
	const model = new ScriptedModel(
		[calls("c1", "edit"), calls("c2", "edit"), calls("c3", "edit")],
		[says("done")],
	);
	const t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const tokens: string[] = [];
	for (let n = 0; n < 3; n++) tokens.push((await log.next("prompt.requested")).prompt.token);
	await t.runtime.answer(unkeyed(), tokens[2] ?? "", { value: true });
	await t.stop();
	expect(ran).toEqual([]);
	const { directory, clock } = t;
	await using again = await TestRuntime.open({ model, tools: [tool], directory, clock });
	expect(await again.runtime.start()).toBe(1);
	const second = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await again.runtime.answer(unkeyed(), tokens[1] ?? "", { value: true });
	await again.runtime.answer(unkeyed(), tokens[0] ?? "", { value: true });
	await expect(second.next("assistant.message")).resolves.toMatchObject({ content: "done", error: "" });
	second.check();
	expect(second.recorded.filter((type) => type === "prompt.requested")).toHaveLength(3);
	expect(ran).toEqual(["c1", "c2", "c3"]);
});

test("an answer for the session also approves open prompts of the same scope only", async () => {
	const ran: string[] = [];
	const run = async ({ callId }: { readonly callId: string }) => `${ran.push(callId)}`;
	const tools = [
		probeTool("edit", { ...writing, grantRoot: "/w", run }),
		probeTool("other", { ...writing, grantRoot: "/x", run }),
		probeTool("control", { classes: ["control"], grantRoot: "/w", run }),
	];
	const reply = ["edit", "edit", "other", "control"].map((name, at) => calls(`c${at}`, name));
	await using t = await TestRuntime.open({ model: new ScriptedModel(reply, [says("done")]), tools });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const tokens: string[] = [];
	for (let n = 0; n < 4; n++) tokens.push((await log.next("prompt.requested")).prompt.token);
	await t.runtime.answer(unkeyed(), tokens[0] ?? "", { value: "session" });
	await log.next("prompt.answered");
	await expect(log.next("prompt.answered")).resolves.toMatchObject({ token: tokens[1], value: true });
	for (let n = 0; n < 2; n++) await log.next("tool.completed");
	expect(ran).toEqual(["c0", "c1"]);
	for (const token of tokens.slice(2)) await t.runtime.answer(unkeyed(), token, { cancelled: true });
	await log.next("assistant.message");
	log.check();
	expect(ran).toEqual(["c0", "c1"]);
});

test("an approval that is too long for a chat is not approved with another one of its scope", async () => {
	const ran: string[] = [];
	const run = async ({ callId }: { readonly callId: string }) => `${ran.push(callId)}`;
	const edit = probeTool("edit", { ...writing, grantRoot: "/w", run });
	const reply = [calls("c1", "edit"), calls("c2", "edit", { text: "x".repeat(20_000) })];
	await using t = await TestRuntime.open({ model: new ScriptedModel(reply, [says("done")]), tools: [edit] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const short = await log.next("prompt.requested");
	const long = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), short.prompt.token, { value: "session" });
	await log.next("tool.completed");
	expect(log.recorded.filter((type) => type === "prompt.answered")).toHaveLength(1);
	await t.runtime.answer(unkeyed(), long.prompt.token, { cancelled: true });
	await log.next("assistant.message");
	expect(ran).toEqual(["c1"]);
});

test("an approved call runs, also if the same call was denied three times in its reply", async () => {
	const ran: string[] = [];
	const run = async ({ callId }: { readonly callId: string }) => `${ran.push(callId)}`;
	const ids = ["c1", "c2", "c3", "c4"];
	const model = new ScriptedModel(
		ids.map((id) => calls(id, "edit")),
		[says("done")],
	);
	await using t = await TestRuntime.open({ model, tools: [probeTool("edit", { ...writing, run })] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const tokens: string[] = [];
	for (const _ of ids) tokens.push((await log.next("prompt.requested")).prompt.token);
	await t.runtime.answer(unkeyed(), tokens[3] ?? "", { value: true });
	for (const token of tokens.slice(0, 3)) await t.runtime.answer(unkeyed(), token, { cancelled: true });
	await log.next("assistant.message");
	log.check();
	expect(ran).toEqual(["c4"]);
});

test("a call that a new rule denies after a restart closes its prompt", async () => {
	const tool = probeTool("edit", writing);
	const other = probeTool("other", writing);
	const model = new ScriptedModel([calls("c1", "edit"), calls("c2", "other")], [says("done")]);
	await using place = await createDirectory();
	const file = join(place.path, "policy.jsonc");
	const t = await TestRuntime.open({ model, tools: [tool, other], policy: { file } });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const first = await log.next("prompt.requested");
	const second = await log.next("prompt.requested");
	await t.stop();
	await writeFile(file, JSON.stringify({ rules: [{ effect: "deny", tool: "other" }] }));
	const { directory, clock } = t;
	await using again = await TestRuntime.open({
		model,
		tools: [tool, other],
		directory,
		clock,
		policy: { file },
	});
	expect(await again.runtime.start()).toBe(1);
	const later = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await expect(later.next("prompt.closed")).resolves.toMatchObject({ token: second.prompt.token });
	await expect(again.runtime.answer(unkeyed(), second.prompt.token, { value: true })).resolves.toBe(false);
	await again.runtime.answer(unkeyed(), first.prompt.token, { cancelled: true });
	await later.next("assistant.message");
	later.check();
});

test("a call that is judged more strictly when it starts than when it was shown needs another approval", async () => {
	const ran: string[] = [];
	const tool = (name: string, options: ProbeOptions) =>
		probeTool(name, { ...options, run: async () => `${ran.push(name)}` });
	const tools = [tool("edit", writing), tool("peek", { classes: ["outside-read"] })];
	const model = new ScriptedModel([calls("c1", "edit"), calls("c2", "peek")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const edit = await log.next("prompt.requested");
	const peek = await log.next("prompt.requested");
	expect(peek.prompt.approval?.risk).toBe("normal");
	await t.runtime.answer(unkeyed(), peek.prompt.token, { value: true });
	await t.store.commit((tx) => addTaint(tx, session, "UE"));
	await t.runtime.answer(unkeyed(), edit.prompt.token, { value: true });
	const again = await log.next("prompt.requested");
	const { id = "" } = peek.prompt.approval?.reply ?? {};
	expect(again.prompt.approval).toMatchObject({
		callId: "c2",
		risk: "critical",
		reply: { id, place: 1, count: 1 },
	});
	expect(ran).toEqual(["edit"]);
	await t.runtime.answer(unkeyed(), again.prompt.token, { value: true });
	await log.next("assistant.message");
	log.check();
	expect(ran).toEqual(["edit", "peek"]);
});

test("an allowed call without effect does not wait for the approval of its neighbour", async () => {
	const look = probeTool("look", { effect: "none" });
	const fetch = probeTool("fetch", { effect: "none", classes: ["egress"] });
	const model = new ScriptedModel([calls("c1", "look"), calls("c2", "fetch")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [look, fetch] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await expect(log.next("tool.completed")).resolves.toMatchObject({ callId: "c1" });
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await log.next("assistant.message");
	log.check();
});
