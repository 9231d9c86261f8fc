import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime } from "../testing/test-runtime.ts";

test("a model that repeats the same failing call gets a refusal, and then its run stops", async () => {
	let ran = 0;
	const fail = () => Promise.reject(new Error(`broken for the ${++ran}. time`));
	const replies = Array.from({ length: 10 }, (_, n) => [calls(`c${n}`, "probe", { at: "x" })]);
	const model = new ScriptedModel(...replies);
	await using t = await TestRuntime.open({ model, tools: [probeTool("probe", { run: fail })] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		error:
			"stopped: the model repeated a call of probe that failed in the same way 3 times; change your request, or choose another model",
	});
	log.check();
	expect(ran).toBe(3);
	expect(model.requests).toHaveLength(6);
	const failures = log.events.flatMap(({ event }) => (event.type === "tool.failed" ? [event.error] : []));
	expect(failures.slice(3)).toEqual([1, 2, 3].map(() => expect.stringMatching(/^not run again: /)));
});

test("a run makes 50 model calls at most", async () => {
	const replies = Array.from({ length: 60 }, (_, n) => [calls(`c${n}`, "probe", { n })]);
	const model = new ScriptedModel(...replies, [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [probeTool("probe", { effect: "none" })] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		error: 'stopped after 50 model calls; send "continue" to continue the run',
	});
	expect(model.requests).toHaveLength(50);
});

test("an unavailable error from outside the store ends the run without a retry", async () => {
	const reached: string[] = [];
	const failpoints = {
		reach(name: string): void {
			if (name !== "model-done") return;
			reached.push(name);
			throw new ParleyError("a service beside the model is away", { code: "unavailable" });
		},
	};
	const model = new ScriptedModel(...Array.from({ length: 5 }, () => [says("one")]));
	await using t = await TestRuntime.open({ model, failpoints });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "hi");
	await log.next("text.ended");
	await t.settle();
	const ends = log.events.flatMap(({ event }) => (event.type === "assistant.message" ? [event.error] : []));
	expect({ reached, ends }).toEqual({
		reached: ["model-done"],
		ends: ["a service beside the model is away"],
	});
});
