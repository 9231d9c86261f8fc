import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says, stuck } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import type { ModelRequest } from "./model.ts";
import type { RunOptions } from "./run-options.ts";
import { oodaPhases } from "./run-options.ts";

const ooda = { mode: "ooda" } as const;

async function begin(
	stack: AsyncDisposableStack,
	replies: readonly ScriptedReply[],
	options: RunOptions = ooda,
) {
	const ran: string[] = [];
	const run = async ({ callId }: { readonly callId: string }) => `${ran.push(callId)}`;
	const model = new ScriptedModel(...replies);
	const settings = { model, tools: [probeTool("look", { effect: "none", run })], anyModel: true };
	const t = await TestRuntime.open(settings);
	stack.defer(() => t[Symbol.asyncDispose]().catch(() => undefined));
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const { runId } = await t.runtime.send(unkeyed(), session, { content: "go" }, options);
	return { t, settings, session, log, model, ran, runId };
}

function phaseIn({ messages, tools }: ModelRequest): readonly [string | undefined, number] {
	const { content = [] } = messages.at(-1) ?? {};
	const [block] = content;
	const text = block?.type === "text" ? block.text : "";
	return [/^\[Phase: (\w+)\./.exec(text)?.[1], tools.length];
}

const thinking: readonly ScriptedReply[] = [[says("facts")], [says("meaning")], [says("plan")]];

test("each phase is a request with its own instructions, and only the phase act has tools", async () => {
	await using stack = new AsyncDisposableStack();
	const replies = [...thinking, [calls("c1", "look")], ...thinking, [says("done")]];
	const { log, model, ran, t, session } = await begin(stack, [...replies, [says("next")]]);
	const { content, error } = await log.next("assistant.message");
	expect([content, error]).toEqual(["done", ""]);
	log.check();
	expect(ran).toEqual(["c1"]);
	const round = oodaPhases.map((phase) => [phase, phase === "act" ? 1 : 0]);
	expect(model.requests.map(phaseIn)).toEqual([...round, ...round]);
	const instructions = model.requests.slice(0, 4).map(({ messages }) => JSON.stringify(messages.at(-1)));
	expect(new Set(instructions).size).toBe(4);
	// The system prompt stays the same, so the provider can cache it.
	expect(new Set(model.requests.map(({ system }) => system)).size).toBe(1);
	expect(model.requests[0]?.system).toContain("observe, orient, decide, act");
	await t.runtime.send(unkeyed(), session, { content: "next" });
	await log.next("assistant.message");
	expect(model.requests.at(-1)?.system).not.toContain("orient");
});

test("a later request repeats the earlier one, so that a provider can use its cache", async () => {
	await using stack = new AsyncDisposableStack();
	const { log, model } = await begin(stack, [...thinking, [says("done")]]);
	await log.next("assistant.message");
	const all = model.requests.map(({ messages }) => messages);
	for (const [index, messages] of all.slice(1).entries()) {
		const before = all[index] ?? [];
		expect(messages.slice(0, before.length)).toEqual(before);
		expect(messages.slice(before.length).map(({ role }) => role)).toEqual(["assistant", "user"]);
	}
});

test("events report the phase of each model call", async () => {
	await using stack = new AsyncDisposableStack();
	const { log } = await begin(stack, [...thinking, [says("done")]]);
	const phases: unknown[] = [];
	for (let n = 0; n < 4; n += 1) phases.push((await log.next("model.calling")).ooda);
	expect(phases).toEqual(oodaPhases);
});

test("a call that a model writes in a phase without tools does not run, and the run continues", async () => {
	await using stack = new AsyncDisposableStack();
	const replies = [
		[says("facts"), calls("c1", "look")],
		[calls("c2", "look")],
		[says("plan")],
		[says("done")],
	];
	const { log, model, ran } = await begin(stack, replies);
	expect(await log.next("assistant.message")).toMatchObject({ content: "done", error: "" });
	expect(ran).toEqual([]);
	expect(model.requests.map(phaseIn).map(([phase]) => phase)).toEqual(oodaPhases);
	expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("look");
});

test.for([0, 1, 2, 3])("after a restart the run continues with its phase: %i", async (phase) => {
	await using stack = new AsyncDisposableStack();
	const all = [...thinking, [says("done")]];
	const replies = [...all.slice(0, phase), stuck("cut"), ...all.slice(phase)];
	const { t, settings, session, log, model } = await begin(stack, replies);
	for (let n = 0; n <= phase; n += 1) await log.next("model.calling");
	await t.stop();
	const again = await TestRuntime.open({ ...settings, directory: t.directory, clock: t.clock });
	stack.use(again);
	const events = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await again.runtime.start();
	expect(await events.next("assistant.message")).toMatchObject({ content: "done", error: "" });
	const seen = model.requests.map(phaseIn).map(([name]) => name);
	expect(seen).toEqual(oodaPhases.flatMap((name, index) => (index === phase ? [name, name] : [name])));
});

test.for([0, 1, 2, 3])("a cancel ends the run in its phase: %i", async (phase) => {
	await using stack = new AsyncDisposableStack();
	const { t, log, session, runId } = await begin(stack, [...thinking.slice(0, phase), stuck("cut")]);
	for (let n = 0; n <= phase; n += 1) await log.next("model.calling");
	await t.runtime.cancel(unkeyed(), session, { runId });
	expect((await log.next("assistant.message")).error).toBe("cancelled");
	log.check();
});

test("the phases are part of the budget of the run", async () => {
	await using stack = new AsyncDisposableStack();
	// A scripted reply uses 15 tokens.
	const { log } = await begin(stack, thinking, { ...ooda, budget: { tokens: 30 } });
	const { error } = await log.next("assistant.message");
	expect(error).toBe("stopped: the budget of this run (30 tokens) is used up; set a larger budget");
});
