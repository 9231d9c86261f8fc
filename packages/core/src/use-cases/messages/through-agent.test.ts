import { expect, test } from "vitest";
import { findTaint } from "../../store/session-taint.ts";
import { EventLog } from "../../testing/event-log.ts";
import { calls, ScriptedModel, says, stuck } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { operator, type Principal } from "../../vocabulary/principal.ts";

const agent: Principal = { ...operator, via: "mcp", through: "agent" };

const writes = (id: string) => [calls(id, "write_file", { path: `${id}.txt`, content: "x" })];
const done = [says("done")];

async function open(model: ScriptedModel) {
	const t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	return { t, session, log };
}

test("accept_all_tools does not cover a run that came through an agent, nor its repetition", async () => {
	const model = new ScriptedModel(writes("c1"), done, writes("c2"), done);
	const { t, session, log } = await open(model);
	await using _ = t;
	await t.runtime.acceptAll(unkeyed(), session);
	await t.runtime.send(unkeyed(agent), session, { content: "write" });
	for (const isRetried of [false, true]) {
		if (isRetried) await t.runtime.retry(unkeyed(), session);
		const { prompt } = await log.next("prompt.requested");
		expect(prompt).toMatchObject({ approval: { tool: "write_file" } });
		// Trust that starts while the run waits does not apply either.
		await t.runtime.acceptAll(unkeyed(), session);
		await t.settle();
		await t.runtime.answer(unkeyed(), prompt.token, { value: true });
		expect(await log.next("prompt.answered")).toMatchObject({ token: prompt.token, value: true });
		await log.next("assistant.message");
	}
});

test("an approval for the session does not cover a run that came through an agent", async () => {
	const write = (id: string) => [calls(id, "write_file", { path: "a.txt", content: id })];
	const { t, session, log } = await open(new ScriptedModel(write("c1"), done, write("c2"), done));
	await using _ = t;
	await t.send(session, "write");
	const first = await log.next("prompt.requested");
	expect(first.prompt.approval?.allowSession).toBe(true);
	await t.runtime.answer(unkeyed(), first.prompt.token, { value: "session" });
	await log.next("assistant.message");
	await t.runtime.send(unkeyed(agent), session, { content: "write" });
	expect((await log.next("prompt.requested")).prompt.approval?.tool).toBe("write_file");
});

test("a queued message stays marked as sent through an agent, also after a restart", async () => {
	const first = await open(new ScriptedModel(stuck("half")));
	await using _ = first.t;
	await first.t.runtime.acceptAll(unkeyed(), first.session);
	await first.t.send(first.session, "wait");
	await first.log.next("text.delta");
	await first.t.runtime.send(unkeyed(agent), first.session, { content: "write" });
	await first.t.stop();
	const model = new ScriptedModel(done, writes("c1"), done);
	await using t = await TestRuntime.open({ model, directory: first.t.directory, clock: first.t.clock });
	await t.runtime.acceptAll(unkeyed(), first.session);
	const log = await EventLog.join(t.runtime, first.session, { afterSeq: 0 });
	await t.runtime.start();
	expect((await log.next("prompt.requested")).prompt.approval?.tool).toBe("write_file");
});

test("a message through an agent waits instead of joining a run that has grants", async () => {
	const { t, session, log } = await open(new ScriptedModel(stuck("half"), writes("c1"), done));
	await using _ = t;
	await t.runtime.acceptAll(unkeyed(), session);
	const active = await t.send(session, "wait");
	await log.next("text.delta");
	const steered = await t.runtime.steer(unkeyed(agent), session, { content: "write" });
	expect(steered).toMatchObject({ status: "sent", queuedPosition: 1 });
	await expect(t.runtime.join(unkeyed(), session, steered.runId)).rejects.toThrow("cannot join");
	await t.runtime.cancel(unkeyed(), session, { runId: active });
	expect((await log.next("prompt.requested")).prompt.approval?.tool).toBe("write_file");
});

test("accept_all_tools does not cover a task that came through an agent", async () => {
	const { t, session, log } = await open(new ScriptedModel(writes("c1"), done));
	await using _ = t;
	await t.runtime.start();
	await t.runtime.acceptAll(unkeyed(), session);
	const task = { title: "Write", description: "write", tools: ["write_file"] };
	const { id } = await t.runtime.tasks.submit(unkeyed(agent), session, task);
	expect((await log.next("prompt.requested")).prompt.taskId).toBe(id);
});

test("text that came through an agent is untrusted, also as an answer to a question", async () => {
	const question = [calls("c1", "ask_user", { type: "text", label: "Which colour?" })];
	const { t, session, log } = await open(new ScriptedModel(question, done, question, done));
	await using _ = t;
	const taint = () => t.store.read((db) => findTaint(db, session));
	await t.send(session, "ask");
	const { prompt } = await log.next("prompt.requested");
	expect(await taint()).toBe("");
	await t.runtime.answer(unkeyed(agent), prompt.token, { value: "blue" });
	expect(await taint()).toBe("U");
});

test("a message through an agent is untrusted", async () => {
	const { t, session, log } = await open(new ScriptedModel(done));
	await using _ = t;
	await t.runtime.send(unkeyed(agent), session, { content: "hi" });
	await log.next("assistant.message");
	expect(await t.store.read((db) => findTaint(db, session))).toBe("U");
});
