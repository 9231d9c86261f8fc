import type { LogRecord } from "@parley/base/testing";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { ModelError } from "../../vocabulary/model-error.ts";

const write = probeTool("write", { classes: ["write"], run: async () => "the secret result" });

function overloaded(): never {
	throw new ModelError("the model is overloaded", { fault: "overloaded" });
}

function about(records: readonly LogRecord[], correlation: string): LogRecord[] {
	return records.filter(({ fields }) => fields["correlation"] === correlation);
}

test("every log line of a run has its id, and none has text of the conversation", async () => {
	const model = new ScriptedModel(
		overloaded,
		[calls("c1", "write", { text: "the secret argument" })],
		[says("the secret reply")],
	);
	await using t = await TestRuntime.open({ model, tools: [write] });
	const sessionId = await t.create();
	const log = await EventLog.join(t.runtime, sessionId);
	const message = { content: "the secret wish", correlation: "platform 7" };
	const { runId } = await t.runtime.send(unkeyed(), sessionId, message);
	await log.next("run.retrying");
	await t.settle();
	t.clock.advance(5_000);
	const { prompt } = await log.next("prompt.requested");
	await t.settle();
	t.clock.advance(60_000);
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await log.next("assistant.message");
	const lines = about(t.log.records, "platform 7");
	expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
		...["info message accepted", "info run started", "info model called"],
		...["warn a model call is retried", "info model called", "info tool called"],
		...["info question asked", "info question answered", "info tool ended"],
		...["info model called", "info run ended"],
	]);
	for (const { fields } of lines) expect(fields).toMatchObject({ sessionId, runId });
	expect(lines.at(0)?.fields).toMatchObject({ principal: "operator", bytes: 15, position: 0 });
	expect(lines.at(2)?.fields).toMatchObject({ error: "the model is overloaded", provider: "scripted" });
	expect(lines.at(3)?.fields).toMatchObject({ attempt: 1, inMs: 1_000 });
	// The duration of the tool excludes the time of a person's answer.
	expect(lines.at(8)?.fields).toMatchObject({ tool: "write", callId: "c1", failed: false, durationMs: 0 });
	expect(lines.at(-1)?.fields).toMatchObject({
		outcome: "completed",
		durationMs: 65_000,
		model: "scripted-1",
		inputTokens: 20,
		outputTokens: 10,
		modelCalls: 3,
		toolCalls: 1,
		costUsd: 0,
	});
	expect(lines.at(-1)?.fields).not.toHaveProperty("error");
	expect(lines.at(6)?.fields["question"]).toBe(lines.at(7)?.fields["question"]);
	const everything = JSON.stringify(t.log.records);
	for (const word of ["secret", prompt.token]) expect(everything).not.toContain(word);
});

test("a run keeps its correlation over a restart, and without one it is its own id", async () => {
	const model = new ScriptedModel([calls("c1", "write")], [says("done")], [says("done")]);
	const first = await TestRuntime.open({ model, tools: [write] });
	const { directory, clock } = first;
	const sessionId = await first.create();
	const log = await EventLog.join(first.runtime, sessionId);
	await first.runtime.send(unkeyed(), sessionId, { content: "go", correlation: "kept" });
	const queued = await first.send(sessionId, "and this");
	const { prompt } = await log.next("prompt.requested");
	await first.stop();
	await using t = await TestRuntime.open({ model, tools: [write], directory, clock });
	const again = await EventLog.join(t.runtime, sessionId);
	await t.runtime.start();
	await t.runtime.answer(unkeyed(), prompt.token, { value: false });
	await again.next("assistant.message");
	await again.next("assistant.message");
	const recorded = about(t.log.records, "kept");
	expect(recorded.at(0)).toMatchObject({ message: "run started", fields: { resumed: true } });
	expect(recorded.at(-1)).toMatchObject({ message: "run ended", fields: { outcome: "completed" } });
	expect(about(t.log.records, queued).map(({ message }) => message)).toEqual([
		...["run started", "model called", "run ended"],
	]);
});
