import { Redactor } from "@parley/base";
import { expect, test } from "vitest";
import { ModelTable } from "../models/table/model-table.ts";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says, stuck } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { ModelError } from "../vocabulary/model-error.ts";
import { noUsage } from "../vocabulary/usage.ts";

const secret = "correct-horse-battery";

async function open(model: ScriptedModel, options: Partial<Parameters<typeof TestRuntime.open>[0]> = {}) {
	const t = await TestRuntime.open({ model, tools: [probeTool("probe")], ...options });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	return { t, session, log, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

test("the event of a reply has its calls and its thinking, without secrets, before its call is recorded", async () => {
	const redactor = new Redactor();
	redactor.add(secret);
	const thought = { type: "thinking", text: `aha ${secret}`, signature: "sig" } as const;
	const model = new ScriptedModel(
		[thought, says("look"), calls("c1", "probe", { at: secret, n: 1 })],
		[says("ok")],
	);
	await using opened = await open(model, { redactor });
	const { t, session, log } = opened;
	const runId = await t.send(session, "hi");
	await expect(log.next("model.replied")).resolves.toEqual({
		type: "model.replied",
		runId,
		stop: "tool_use",
		content: [
			{ type: "thinking", text: "aha [redacted]", signature: "sig" },
			{ type: "text", text: "look" },
			{ type: "call", id: "c1", name: "probe", arguments: { at: "[redacted]", n: 1 } },
		],
	});
	await log.next("assistant.message");
	log.check();
	const types = log.events.map(({ event }) => event.type).filter((type) => type.startsWith("model."));
	const each = ["model.calling", "model.replied", "model.called"];
	expect(types).toEqual([...each, ...each]);
});

test("the event of an interrupted reply has the received part, and no stop reason", async () => {
	const broken: ScriptedReply = async function* () {
		yield says("hal");
		throw new ModelError("it broke off", { fault: "interrupted" });
	};
	await using opened = await open(new ScriptedModel(broken, stuck("hello")));
	const { t, session, log } = opened;
	await t.send(session, "hi");
	const content = [{ type: "text", text: "hal" }];
	await expect(log.next("model.replied")).resolves.toMatchObject({ content, stop: undefined });
	await log.next("run.retrying");
	await t.settle();
	t.clock.advance(1_000);
	await log.next("text.delta");
	await t.runtime.cancel(unkeyed(), session);
	const last = [{ type: "text", text: "hello" }];
	await expect(log.next("model.replied")).resolves.toMatchObject({ content: last, stop: undefined });
	await log.next("assistant.message");
	log.check();
});

test("the call for a summary is marked as auxiliary, and its reply has no event", async () => {
	const limits = { provider: "scripted", contextWindow: 4_000, maxOutput: 800 };
	const able = { reasoning: "none", sampling: true, images: false } as const;
	const table = new ModelTable([{ id: "scripted", ...limits, ...able }]);
	const long = "some words that are long enough ".repeat(150);
	// The replies report no usage, because this test does not calibrate token counts.
	const end = { type: "end", stop: "end_turn", model: "scripted", usage: noUsage } as const;
	const model = new ScriptedModel([says("one"), end], [says("the summary"), end], [says("two"), end]);
	await using opened = await open(model, { table });
	const { t, session, log } = opened;
	await t.send(session, long);
	await log.next("assistant.message");
	await t.send(session, long);
	await log.next("assistant.message");
	log.check();
	const types = log.events.flatMap(({ event }) => {
		if (event.type === "model.calling") return [event.auxiliary ? "auxiliary" : "calling"];
		return event.type === "model.replied" || event.type === "model.called" ? [event.type] : [];
	});
	const each = ["calling", "model.replied", "model.called"];
	expect(types).toEqual([...each, "auxiliary", "model.called", ...each]);
});
