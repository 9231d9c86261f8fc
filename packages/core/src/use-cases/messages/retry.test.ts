import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says, stuck } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";

async function open(t: TestRuntime): Promise<{ session: string; log: EventLog }> {
	const session = await t.create();
	return { session, log: await EventLog.join(t.runtime, session, { afterSeq: 0 }) };
}

test("a retry requests the last reply again: the model sees all messages except that reply, and the message once", async () => {
	const model = new ScriptedModel([calls("c1", "probe")], [says("poor")], [says("better")], [says("bye")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("probe")] });
	const { session, log } = await open(t);
	const first = await t.send(session, "hi");
	await log.next("assistant.message");
	const { runId } = await t.runtime.retry(unkeyed(), session);
	await expect(log.next("user.message")).resolves.toEqual({
		type: "user.message",
		runId,
		content: "hi",
		retryOf: first,
	});
	await expect(log.next("assistant.message")).resolves.toMatchObject({ runId, content: "better" });
	log.check();
	expect(model.requests[2]?.messages).toEqual(model.requests[1]?.messages);
	await t.send(session, "thanks");
	await log.next("assistant.message");
	const request = JSON.stringify(model.requests[3]?.messages);
	expect(request).toContain("better");
	expect(request).not.toContain("poor");
});

test("a message keeps the id from its client: in the queue, after a restart, and in a retry", async () => {
	await using first = await TestRuntime.open({ model: new ScriptedModel(stuck("half")) });
	const { session, log } = await open(first);
	await first.send(session, "unnamed");
	await log.next("text.delta");
	const named = { content: "named", correlation: "msg:1" };
	const { runId } = await first.runtime.send(unkeyed(), session, named);
	await first.stop();
	const model = new ScriptedModel([says("whole")], [says("poor")], [says("better")]);
	await using t = await TestRuntime.open({ model, directory: first.directory, clock: first.clock });
	await t.runtime.start();
	const again = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const unnamed = await again.next("user.message");
	expect(unnamed).not.toHaveProperty("correlation");
	await expect(again.next("user.message")).resolves.toMatchObject({ runId, correlation: "msg:1" });
	for (const content of ["whole", "poor"])
		await expect(again.next("assistant.message")).resolves.toMatchObject({ content });
	await t.runtime.retry(unkeyed(), session);
	const repeated = { retryOf: runId, content: "named", correlation: "msg:1" };
	await expect(again.next("user.message")).resolves.toMatchObject(repeated);
	await again.next("assistant.message");
});

test("the transcript is the same after a restart", async () => {
	await using first = await TestRuntime.open({ model: new ScriptedModel([says("poor")], [says("better")]) });
	const { session, log } = await open(first);
	await first.send(session, "hi");
	await log.next("assistant.message");
	await first.runtime.retry(unkeyed(), session);
	await log.next("assistant.message");
	await first.stop();
	const model = new ScriptedModel([says("bye")]);
	await using t = await TestRuntime.open({ model, directory: first.directory, clock: first.clock });
	const again = await EventLog.join(t.runtime, session);
	await t.send(session, "thanks");
	await again.next("assistant.message");
	const texts = model.requests[0]?.messages.map(({ content }) =>
		content.map((block) => "text" in block && block.text),
	);
	expect(texts).toEqual([["hi"], ["better"], ["thanks"]]);
});

test("a retry of a cancelled run continues it", async () => {
	const model = new ScriptedModel([calls("c1", "probe")], stuck("half"), [says("whole")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("probe")] });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	await log.next("text.delta");
	await t.runtime.cancel(unkeyed(), session);
	await log.next("assistant.message");
	await t.runtime.retry(unkeyed(), session);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "whole", error: "" });
	expect(model.requests[2]?.messages).toEqual(model.requests[1]?.messages);
});

test("a retry can be retried", async () => {
	const model = new ScriptedModel([says("one")], [says("two")], [says("three")]);
	await using t = await TestRuntime.open({ model });
	const { session, log } = await open(t);
	await t.send(session, "hi");
	await log.next("assistant.message");
	for (const content of ["two", "three"]) {
		await t.runtime.retry(unkeyed(), session);
		await expect(log.next("assistant.message")).resolves.toMatchObject({ content });
	}
	expect(model.requests[2]?.messages).toEqual(model.requests[0]?.messages);
});

test("a retry requires a reply, and no active run", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(stuck("well")) });
	const { session, log } = await open(t);
	const retry = () => t.runtime.retry(unkeyed(), session);
	await expect(retry()).rejects.toMatchObject({ code: "failed_precondition", message: /nothing to retry/ });
	await t.send(session, "hi");
	await log.next("text.delta");
	await expect(retry()).rejects.toMatchObject({ code: "failed_precondition", message: /is at work/ });
	await t.runtime.cancel(unkeyed(), session);
});

test("a message that was cancelled while it waited is sent again unchanged", async () => {
	const model = new ScriptedModel(stuck("well"), [says("done")]);
	await using t = await TestRuntime.open({ model });
	const { session, log } = await open(t);
	await t.send(session, "one");
	await log.next("text.delta");
	await t.send(session, "two");
	await t.runtime.cancel(unkeyed(), session, { queued: true });
	for (const _ of [1, 2]) await log.next("assistant.message");
	await t.runtime.retry(unkeyed(), session);
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "done" });
	expect(model.requests[1]?.messages.at(-1)).toEqual({
		role: "user",
		content: [{ type: "text", text: "two" }],
	});
});
