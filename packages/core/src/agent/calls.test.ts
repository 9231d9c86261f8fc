import { ParleyError, Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { type ProbeOptions, probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";

const writing: ProbeOptions = { classes: ["write"] };

test("adjacent calls without effect run together, at most eight at a time, and others one by one", async () => {
	let running = 0;
	const max: Record<string, number> = {};
	const measured = (name: string, effect: "none" | "effectful") =>
		probeTool(name, {
			effect,
			run: async () => {
				running += 1;
				await Promise.resolve();
				max[name] = Math.max(max[name] ?? 0, running);
				await new Promise(setImmediate);
				running -= 1;
				return name;
			},
		});
	const model = new ScriptedModel(
		[calls("c1", "look"), calls("c2", "look"), calls("c3", "act"), calls("c4", "act"), calls("c5", "look")],
		Array.from({ length: 10 }, (_, n) => calls(`d${n}`, "glance")),
		[says("done")],
	);
	await using t = await TestRuntime.open({
		model,
		tools: [measured("look", "none"), measured("act", "effectful"), measured("glance", "none")],
	});
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("assistant.message");
	log.check();
	expect(max).toEqual({ look: 2, act: 1, glance: 8 });
	const ended = log.events.flatMap(({ event }) => (event.type === "tool.completed" ? [event.callId] : []));
	expect(ended.slice(0, 5)).toEqual(["c1", "c2", "c3", "c4", "c5"]);
	expect(ended.slice(5)).toEqual(Array.from("0123456789", (n) => `d${n}`));
});

test("an invalid call is shown and fails, and the model gets the reason", async () => {
	const failing = probeTool("failing", { run: () => Promise.reject(new Error("broken")) });
	const model = new ScriptedModel(
		[calls("c1", "nope"), calls("c2", "failing", []), calls("c3", "failing")],
		[says("sorry")],
	);
	await using t = await TestRuntime.open({ model, tools: [failing] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "sorry", error: "" });
	log.check();
	const errors = log.events.flatMap(({ event }) => (event.type === "tool.failed" ? [event.error] : []));
	expect(errors).toEqual([
		'the tool "nope" does not exist or is not allowed here; available: failing',
		expect.stringContaining("invalid arguments of failing"),
		"failing failed: internal error",
	]);
});

test("an answer for the session covers later calls of it, but not of another session", async () => {
	const tool = probeTool("edit", { ...writing, binding: () => ({ path: "/w/a" }), grantRoot: "/w" });
	const model = new ScriptedModel(
		[calls("c1", "edit")],
		[calls("c2", "edit")],
		[says("done")],
		[calls("c3", "edit")],
		[says("denied")],
	);
	await using t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	expect(prompt.approval).toMatchObject({ allowSession: true, risk: "normal" });
	await t.runtime.answer(unkeyed(), prompt.token, { value: "session" });
	expect(await log.next("prompt.answered")).toMatchObject({ value: true, remembered: true });
	await log.next("assistant.message");
	log.check();
	expect(log.recorded.filter((type) => type === "prompt.requested")).toHaveLength(1);
	const other = await t.create();
	const second = await EventLog.join(t.runtime, other, { afterSeq: 0 });
	await t.send(other, "go");
	const again = await second.next("prompt.requested");
	await t.runtime.answer(unkeyed(), again.prompt.token, { value: false });
	await second.next("assistant.message");
	second.check();
});

test("a call that always requires approval requires it under any trust, and needs an explicit answer", async () => {
	const tool = probeTool("steer", { classes: ["control"], grantRoot: "/" });
	const model = new ScriptedModel([calls("c1", "steer")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.acceptAll(unkeyed(), session);
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	expect(prompt.approval).toMatchObject({ allowSession: false, risk: "critical" });
	await expect(t.runtime.answer(unkeyed(), prompt.token, { cancelled: false })).rejects.toMatchObject({
		code: "invalid_argument",
	});
	await t.runtime.acceptAll(unkeyed(), session);
	expect(log.recorded).not.toContain("prompt.answered");
	await t.runtime.answer(unkeyed(), prompt.token, { value: "yes" });
	await log.next("tool.completed");
	await log.next("assistant.message");
	log.check();
});

test("an approval is invalid if its facts changed after the question", async () => {
	let fact = "before";
	let ran = 0;
	const tool = probeTool("edit", { ...writing, binding: () => ({ fact }), run: async () => `${++ran}` });
	const model = new ScriptedModel([calls("c1", "edit")], [says("oh")]);
	const t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.stop();
	fact = "after";
	await using again = await TestRuntime.open({
		model,
		tools: [tool],
		directory: t.directory,
		clock: t.clock,
	});
	expect(await again.runtime.start()).toBe(1);
	const second = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await again.runtime.answer(unkeyed(), prompt.token, { value: true });
	await expect(second.next("tool.failed")).resolves.toMatchObject({
		error: "changed since it was approved: fact; the call did not run, so repeat it if you still need it",
	});
	await second.next("assistant.message");
	second.check();
	expect(ran).toBe(0);
});

test("a run stops after its limit of model calls", async () => {
	const model = new ScriptedModel(...[1, 2, 3, 4].map((n) => [says(`${n}`), calls(`c${n}`, "probe")]));
	await using t = await TestRuntime.open({ model, tools: [probeTool("probe")], limits: { modelCalls: 3 } });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		error: 'stopped after 3 model calls; send "continue" to continue the run',
		content: "3",
	});
	log.check();
	expect(model.requests).toHaveLength(3);
});

test("the result of a tool contains no secrets for people, the model or the database", async () => {
	const tools = [
		probeTool("look", { run: async () => "the token is hunter2" }),
		probeTool("fail", { run: () => Promise.reject(new ParleyError("no hunter2", { code: "not_found" })) }),
	];
	const model = new ScriptedModel([calls("c1", "look"), calls("c2", "fail")], [says("done")]);
	const redactor = new Redactor();
	redactor.add("hunter2");
	await using t = await TestRuntime.open({ model, tools, redactor });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await expect(log.next("tool.completed")).resolves.toMatchObject({ result: "the token is [redacted]" });
	await expect(log.next("tool.failed")).resolves.toMatchObject({ error: "fail failed: no [redacted]" });
	await log.next("assistant.message");
	log.check();
	const steps = await t.store.read((db) => db.selectFrom("steps").selectAll().execute());
	expect(JSON.stringify([log.events, model.requests, steps])).not.toContain("hunter2");
});

test("both calls run if a model uses the same id twice", async () => {
	const ran: string[] = [];
	const tool = probeTool("edit", { ...writing, run: async ({ callId }) => `${ran.push(callId)}` });
	const model = new ScriptedModel(
		[calls("c", "edit", { n: 1 }), calls("c", "edit", { n: 2 })],
		[calls("c", "edit", { n: 3 })],
		[says("done")],
		[calls("c", "edit", { n: 4 })],
		[says("done")],
	);
	await using t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const seen: unknown[] = [];
	for (const content of ["one", "two"]) {
		await t.send(session, content);
		for (;;) {
			const event = await log.next("prompt.requested", "assistant.message");
			if (event.type === "assistant.message") break;
			seen.push(event.prompt.approval?.arguments);
			await t.runtime.answer(unkeyed(), event.prompt.token, { value: true });
		}
	}
	log.check();
	expect(seen).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }]);
	expect(new Set(ran).size).toBe(4);
	const results = model.requests[1]?.messages.at(-1);
	expect(results?.content).toMatchObject([{ callId: "c", text: "1" }, { text: "2" }]);
});
