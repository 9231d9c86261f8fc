import { expect, test } from "vitest";
import { ModelTable, unknownModel } from "../models/table/model-table.ts";
import { EventLog } from "../testing/event-log.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions } from "../testing/test-runtime.ts";
import type { ModelEvent } from "../vocabulary/model.ts";

const prices = { input: 1, output: 10, cacheRead: 0, cacheWrite: 0 };
const large = { ...unknownModel("scripted", "scripted"), contextWindow: 200_000, maxOutput: 128_000, prices };

async function limitOf(options: Partial<TestRuntimeOptions>, message = "go"): Promise<number | undefined> {
	const model = new ScriptedModel([says("ok")]);
	await using t = await TestRuntime.open({ model, table: new ModelTable([large]), ...options });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, message);
	await log.next("assistant.message");
	return model.requests[0]?.sampling?.maxTokens;
}

test("a reply may use the limit of the model and the rest of the window", async () => {
	expect(await limitOf({})).toBe(128_000);
	// The text has about 95,000 tokens, and the window still has room for the reserved reply.
	expect(await limitOf({}, "word ".repeat(95_000))).toBe(32_000);
	expect(await limitOf({ table: new ModelTable([{ ...large, maxOutput: 8_000 }]) })).toBe(8_000);
});

test("a reply may be as long as the budgets allow, and at least 4,096 tokens", async () => {
	// One cent pays for 1,000 tokens, and 50 cents for 50,000.
	const day = (cents: number) => ({ budgets: { gateway: { day: cents * 10_000_000 }, session: {} } });
	expect(await limitOf(day(50))).toBe(50_000);
	expect(await limitOf(day(1))).toBe(4_096);
	expect(await limitOf(day(1_000))).toBe(128_000);
});

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
const cut: ModelEvent = { type: "end", stop: "max_tokens", usage, model: "scripted" };
const half: ModelEvent = { ...calls("c2", "write_file"), invalid: "cut at 91234 characters" } as ModelEvent;

async function talk(...replies: readonly ScriptedReply[]) {
	const model = new ScriptedModel(...replies);
	await using t = await TestRuntime.open({ model });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { error } = await log.next("assistant.message");
	log.check();
	return { model, error };
}

test("the model gets a note about a call that was cut, no call of its reply runs, and the run continues", async () => {
	const completeCalls = calls("c1", "write_file", { path: "made.txt", content: "x" });
	const { model, error } = await talk([says("I write."), completeCalls, half, cut], [says("in parts then")]);
	expect(error).toBe("");
	expect(model.requests[1]?.messages.at(-1)?.content).toMatchObject([
		{ callId: "c1", failed: true, text: expect.stringContaining("cut off after this call") },
		{ callId: "c2", failed: true, text: "not run: cut at 91234 characters" },
	]);
});

test("a run whose calls are cut repeatedly is stopped", async () => {
	const { model, error } = await talk([half, cut], [half, cut], [half, cut]);
	expect(error).toContain("the reply reached its length limit");
	expect(model.requests).toHaveLength(3);
});
