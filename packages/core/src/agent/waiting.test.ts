import { readFile } from "node:fs/promises";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { type ProbeOptions, probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../testing/scripted-model.ts";
import { databaseIn, TestRuntime, unkeyed } from "../testing/test-runtime.ts";

const hour = 60 * 60 * 1000;
const writing: ProbeOptions = { classes: ["write"] };
const question = { label: "Which?", options: [], required: true, validation: "" };

const asking = (type: "text" | "password") =>
	probeTool("ask", {
		effect: "idempotent",
		run: async (context) => JSON.stringify(await context.ask({ ...question, type })),
	});

test("a question without an answer in 24 hours expires, and its call does not run", async () => {
	let ran = 0;
	const tool = probeTool("edit", { ...writing, run: async () => `${++ran}` });
	const model = new ScriptedModel([calls("c1", "edit")], [says("well then")]);
	await using t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	expect(prompt.expiresAt).toBe(t.clock.now() + 24 * hour);
	await t.settle();
	t.clock.advance(24 * hour - 1);
	await t.settle();
	expect(log.recorded).not.toContain("prompt.closed");
	t.clock.advance(1);
	await expect(log.next("prompt.closed")).resolves.toMatchObject({ token: prompt.token, reason: "expired" });
	await expect(log.next("tool.failed")).resolves.toMatchObject({
		error: "no answer: the approval expired, so the call did not run; repeat the call if you still need it",
	});
	await expect(t.runtime.answer(unkeyed(), prompt.token, { value: true })).resolves.toBe(false);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "well then", error: "" });
	log.check();
	expect(ran).toBe(0);
});

test("requests after an approval ask the provider for a longer cache until the run ends", async () => {
	const tool = probeTool("edit", { ...writing, run: async () => "done" });
	const model = new ScriptedModel([calls("c1", "edit")], [says("well")], [says("hello")]);
	await using t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await log.next("assistant.message");
	await t.send(session, "hello");
	await log.next("assistant.message");
	expect(model.requests.map(({ awaitsPeople }) => awaitsPeople)).toEqual([undefined, true, undefined]);
});

test("a question can expire while the gateway is stopped", async () => {
	const model = new ScriptedModel([calls("c1", "edit")], [says("well then")]);
	const tools = [probeTool("edit", writing)];
	const t = await TestRuntime.open({ model, tools });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("prompt.requested");
	await t.stop();
	t.clock.advance(25 * hour);
	await using again = await TestRuntime.open({ model, tools, directory: t.directory, clock: t.clock });
	await again.runtime.start();
	const second = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await expect(second.next("prompt.closed")).resolves.toMatchObject({ reason: "expired" });
	await second.next("assistant.message");
	second.check();
});

test("an open question is still open, and answerable, after a restart", async () => {
	const model = new ScriptedModel([calls("c1", "ask")], [says("thanks")]);
	const t = await TestRuntime.open({ model, tools: [asking("text")] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.stop();
	await using again = await TestRuntime.open({
		model,
		tools: [asking("text")],
		directory: t.directory,
		clock: t.clock,
	});
	await again.runtime.start();
	const second = await EventLog.join(again.runtime, session);
	await expect(second.next("prompt.shown")).resolves.toEqual({ type: "prompt.shown", prompt });
	await again.runtime.answer(unkeyed(), prompt.token, { value: "tea" });
	await expect(second.next("tool.completed")).resolves.toMatchObject({
		result: '{"outcome":"answered","value":"tea"}',
	});
	await second.next("assistant.message");
	expect(second.recorded.filter((type) => type === "prompt.requested")).toEqual([]);
});

test("a dismissed question ends as dismissed", async () => {
	const model = new ScriptedModel([calls("c1", "ask")], [says("fine")]);
	await using t = await TestRuntime.open({ model, tools: [asking("text")] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { cancelled: true });
	await expect(log.next("prompt.answered")).resolves.toMatchObject({ value: null, cancelled: true });
	await expect(log.next("tool.completed")).resolves.toMatchObject({ result: '{"outcome":"cancelled"}' });
	await log.next("assistant.message");
	log.check();
});

test("a password becomes a handle before any data is stored", async () => {
	const model = new ScriptedModel([calls("c1", "ask")], [says("thanks")]);
	await using t = await TestRuntime.open({ model, tools: [asking("password")] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { value: "correct horse battery" });
	await expect(log.next("prompt.answered")).resolves.toMatchObject({ value: null, cancelled: false });
	const { result } = await log.next("tool.completed");
	expect(result).toMatch(/^\{"outcome":"answered","value":"secret:pw_[0-9a-z]{26}"\}$/);
	await log.next("assistant.message");
	log.check();
	for (const end of ["", "-wal"]) {
		const bytes = await readFile(`${databaseIn(t.directory)}${end}`);
		expect(bytes.includes("correct horse")).toBe(false);
	}
	expect(JSON.stringify([log.events, model.requests, t.log.records])).not.toContain("correct horse");
});

test("a run that works too long is stopped, with the reason", async () => {
	const model = new ScriptedModel(stuck("hm"), [says("next")]);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("text.delta");
	t.clock.advance(30 * 60 * 1000 - 1);
	expect(log.recorded).not.toContain("assistant.message");
	t.clock.advance(1);
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		content: "hm",
		error: 'stopped after 30 minutes of work; send "continue" to continue the run',
	});
	await t.send(session, "again");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "next", error: "" });
	log.check();
});

test("waiting for people does not count as working time", async () => {
	const model = new ScriptedModel([calls("c1", "edit")], [calls("c2", "edit")], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("edit", writing)] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	for (let question = 0; question < 2; question++) {
		const { prompt } = await log.next("prompt.requested");
		await t.settle();
		t.clock.advance(23 * hour);
		await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	}
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "done", error: "" });
	log.check();
	expect(t.clock.pending).toBe(0);
});

test("an approval after 24 hours has no effect: the run is parked", async () => {
	let ran = 0;
	const tools = [probeTool("edit", { ...writing, run: async () => `${++ran}` })];
	const model = new ScriptedModel([calls("c1", "edit")], [says("well then")]);
	const t = await TestRuntime.open({ model, tools });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.stop();
	t.clock.advance(24 * hour);
	await using again = await TestRuntime.open({ model, tools, directory: t.directory, clock: t.clock });
	const second = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await again.runtime.answer(unkeyed(), prompt.token, { value: true });
	await again.runtime.start();
	await expect(second.next("prompt.closed", "prompt.answered")).resolves.toMatchObject({ reason: "expired" });
	await second.next("assistant.message");
	second.check();
	expect(ran).toBe(0);
});

/** Clock that simulates a suspension of the machine: time has passed, but no timer has fired. */
class SleepyClock extends ManualClock {
	asleep = 0;

	override now(): number {
		return super.now() + this.asleep;
	}
}

test("an approval after 24 hours has no effect: the timer of the run is late", async () => {
	let ran = 0;
	const tools = [probeTool("edit", { ...writing, run: async () => `${++ran}` })];
	const model = new ScriptedModel([calls("c1", "edit")], [says("well then")]);
	const clock = new SleepyClock();
	await using t = await TestRuntime.open({ model, tools, clock });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.settle();
	clock.asleep = 24 * hour;
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await expect(log.next("prompt.closed", "prompt.answered")).resolves.toMatchObject({ reason: "expired" });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "well then" });
	log.check();
	expect(ran).toBe(0);
});
