import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { ScriptedModel, says } from "../../testing/scripted-model.ts";
import { TestRuntime } from "../../testing/test-runtime.ts";
import { ModelError, type ModelFault } from "../../vocabulary/model-error.ts";
import { operator } from "../../vocabulary/principal.ts";
import { ProviderHealth } from "./provider-health.ts";

const fault = (kind: ModelFault) => new ModelError(`it is ${kind}`, { fault: kind });

test("each server has its own state, which lasts until a call shows another", () => {
	const clock = new ManualClock(1_000);
	const health = new ProviderHealth(clock);
	const [one, two] = [new ScriptedModel(), new ScriptedModel()];
	expect(health.failed(one, "big", fault("unauthenticated"))).toBe(true);
	clock.advance(10);
	expect(health.failed(one, "small", fault("unauthenticated"))).toBe(false);
	health.answered(two, "big");
	const provider = "scripted";
	const refused = {
		provider,
		model: "small",
		state: "refused",
		since: 1_000,
		reason: "it is unauthenticated",
	};
	const fine = { provider, model: "big", state: "ok", since: 1_010, reason: "" };
	expect(health.list()).toEqual([refused, fine]);
	clock.advance(10);
	for (const passing of ["rate-limited", "overloaded", "interrupted", "timeout", "rejected"] as const) {
		expect(health.failed(one, "small", fault(passing))).toBe(false);
	}
	expect(health.list()).toEqual([refused, fine]);
	expect(health.failed(one, "small", fault("unreachable"))).toBe(true);
	health.answered(two, "big");
	expect(health.list()).toEqual([
		{ ...refused, state: "unreachable", since: 1_020, reason: "it is unreachable" },
		fine,
	]);
});

test("a refused key shows in the health of the runtime until a key is accepted", async () => {
	const refuses = async function* () {
		yield says("");
		throw fault("unauthenticated");
	};
	await using t = await TestRuntime.open({ model: new ScriptedModel(refuses, [says("hello")]) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	expect(t.runtime.health(operator)).toEqual({ providers: [] });
	for (const state of ["refused", "ok"]) {
		await t.send(session, "hi");
		await log.next("assistant.message");
		expect(t.runtime.health(operator).providers).toMatchObject([{ provider: "scripted", state }]);
	}
	expect(() => t.runtime.health({ id: "agent", kind: "agent" })).toThrow(
		"the agent does not have the permission health.read",
	);
});
