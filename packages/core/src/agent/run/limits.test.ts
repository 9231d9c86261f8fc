import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { tooManyCalls } from "../../vocabulary/model-error.ts";
import type { Step } from "../../vocabulary/step.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import { denied, reachedLimit, refuseRepeat, unanswered } from "./limits.ts";

interface LimitStep {
	readonly name?: string;
	readonly args?: unknown;
	readonly text?: string;
	readonly failed?: boolean;
	readonly effectful?: boolean;
}

function stepsOf(...errors: readonly LimitStep[]): Step[] {
	return errors.flatMap(
		({ name = "edit", args = {}, text = "broken", failed = true, effectful = false }, n): Step[] => {
			const callId = `call_${n}`;
			const content = [{ type: "call", id: callId, name, arguments: args }] as const;
			return [
				{ kind: "call" },
				{ kind: "reply", content, model: "m", usage: noUsage },
				{ kind: "started", callId },
				...(effectful ? [{ kind: "intent", callId } as const] : []),
				{ kind: "result", callId, text, failed },
			];
		},
	);
}

const call = { name: "edit", arguments: {} };
const failure: LimitStep = {};
const denial: LimitStep = { text: `${denied}: no` };
const refusal = (steps: readonly LimitStep[]): LimitStep => {
	const text = refuseRepeat(stepsOf(...steps), call);
	return text === undefined ? { failed: false, text: "not refused" } : { text };
};

test("a call is refused after three equal failures, but not after three different failures", () => {
	expect(refuseRepeat([], call)).toBeUndefined();
	expect(refuseRepeat(stepsOf(failure, failure), call)).toBeUndefined();
	const steps = stepsOf(failure, failure, failure);
	expect(refuseRepeat(steps, call)).toMatch(
		/^not run again: this call failed 3 times in the same way; change/,
	);
	expect(refuseRepeat(steps, { ...call, name: "read" })).toBeUndefined();
	expect(refuseRepeat(steps, { ...call, arguments: { n: 1 } })).toBeUndefined();
});

test("arguments are equal in any order and spelling, and other arguments are different", () => {
	const steps = stepsOf(
		{ args: { a: 1, b: [1, "x"] } },
		{ args: { b: [1, "x"], a: 1 } },
		{ args: { b: [1, "x"], a: 1.0 } },
	);
	expect(refuseRepeat(steps, { name: "edit", arguments: { a: 1, b: [1, "x"] } })).toBeDefined();
	expect(refuseRepeat(steps, { name: "edit", arguments: { a: 1, b: ["x", 1] } })).toBeUndefined();
	expect(refuseRepeat(steps, { name: "edit", arguments: { a: "1", b: [1, "x"] } })).toBeUndefined();
});

test("failures with other numbers or ids are equal, and those with other words are different", () => {
	const text = (n: number): string =>
		`failed in 0.${n} s, see page_${"abcdefghijklmnopqrstuvwxy"}${n}, line ${n * 10}`;
	expect(refuseRepeat(stepsOf({ text: text(1) }, { text: text(2) }, { text: text(3) }), call)).toBeDefined();
	expect(refuseRepeat(stepsOf(failure, failure, { text: "other" }, failure), call)).toBeUndefined();
});

test("failures of other calls in between have no effect, and neither do successful calls without effect", () => {
	const readStep: LimitStep = { name: "read", failed: false };
	const other: LimitStep = { name: "other" };
	expect(refuseRepeat(stepsOf(failure, readStep, failure, other, failure, readStep), call)).toBeDefined();
});

test("a successful call with an effect allows another attempt of a failed call, but not of a denied one", () => {
	const changed: LimitStep = { name: "write", failed: false, effectful: true };
	expect(refuseRepeat(stepsOf(failure, failure, failure, changed), call)).toBeUndefined();
	expect(refuseRepeat(stepsOf(failure, failure, changed, failure), call)).toBeUndefined();
	expect(refuseRepeat(stepsOf(denial, failure, failure, failure, changed), call)).toBeUndefined();
	expect(refuseRepeat(stepsOf(denial, changed, denial, changed, denial, changed), call)).toMatch(
		/^not run again: this call was denied 3 times; continue without it/,
	);
});

test("denials count together for any reason", () => {
	const steps = stepsOf({ text: denied }, { text: `${denied}: not now` }, { text: `${denied}: never` });
	expect(refuseRepeat(steps, call)).toBeDefined();
	expect(refuseRepeat(stepsOf(denial, denial, failure), call)).toBeUndefined();
	const refusals = ["a", "b", "c"].map((reason) => ({ text: `${unanswered}: ${reason}` }));
	expect(refuseRepeat(stepsOf(...refusals), call)).toMatch(/denied 3 times/);
});

test("a run ends after three refusals of one call, or as soon as the call is denied three times", () => {
	const failed = [failure, failure, failure];
	const refused = refusal(failed);
	expect(reachedLimit(stepsOf())).toBeUndefined();
	expect(reachedLimit(stepsOf(...failed, refused, refused))).toBeUndefined();
	expect(reachedLimit(stepsOf(...failed, refused, refused, refused))).toEqual({
		error:
			"stopped: the model repeated a call of edit that failed in the same way 3 times; change your request, or choose another model",
		cause: "limit",
	});
	expect(reachedLimit(stepsOf(denial, denial))).toBeUndefined();
	expect(reachedLimit(stepsOf(denial, denial, denial))).toEqual({
		error: "stopped: a call of edit was denied 3 times; approve the call, or change your request",
		cause: "denied",
	});
	const changed: LimitStep = { name: "write", failed: false, effectful: true };
	expect(reachedLimit(stepsOf(...failed, refused, refused, changed, ...failed, refused))).toBeUndefined();
});

test("a run does not attempt a call a fourth time, and the model receives the reason", async () => {
	let tried = 0;
	const tool = probeTool("edit", { run: () => Promise.reject(new Error(`broken ${++tried}`)) });
	const model = new ScriptedModel(
		...[1, 2, 3, 4].map((n) => [calls(`c${n}`, "edit", { same: true })]),
		[calls("c5", "edit", { same: false })],
		[says("sorry")],
	);
	await using t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "", content: "sorry" });
	log.check();
	expect(tried).toBe(4);
	const errors = log.events.flatMap(({ event }) => (event.type === "tool.failed" ? [event.error] : []));
	expect(errors[3]).toMatch(/^not run again: this call failed 3 times/);
	expect(errors[4]).toBe(errors[0]);
});

test("a call that failed three times in one reply is not attempted again in it", async () => {
	let tried = 0;
	const tool = probeTool("edit", { run: () => Promise.reject(new Error(`broken ${++tried}`)) });
	const model = new ScriptedModel(
		Array.from({ length: 5 }, (_, n) => calls(`c${n}`, "edit")),
		[says("sorry")],
	);
	await using t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	await log.next("assistant.message");
	log.check();
	expect(tried).toBe(3);
});

test("when people have denied a call three times the run ends, and the model is not called again", async () => {
	const tool = probeTool("edit", { classes: ["write"] });
	const model = new ScriptedModel(...[1, 2, 3, 4].map((n) => [calls(`c${n}`, "edit")]));
	await using t = await TestRuntime.open({ model, tools: [tool] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	for (const reason of ["no", "really no", "stop it"]) {
		const { prompt } = await log.next("prompt.requested");
		await t.runtime.answer(unkeyed(), prompt.token, { cancelled: true, reason });
	}
	const error = "stopped: a call of edit was denied 3 times; approve the call, or change your request";
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error });
	log.check();
	expect(log.recorded.filter((type) => type === "prompt.requested")).toHaveLength(3);
	expect(model.requests).toHaveLength(3);
	expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain("really no");
});

test("calls above the limit of one reply never count as failures", () => {
	const many: LimitStep = { name: "edit", failed: true, text: `not run: ${tooManyCalls}` };
	expect(reachedLimit(stepsOf(...Array.from({ length: 20 }, () => many)))).toBeUndefined();
});
