import type { Failpoints } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { noSandboxes } from "../../testing/no-sandboxes.ts";
import { ScriptedModel, says } from "../../testing/scripted-model.ts";
import { testConnector } from "../../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { operator } from "../../vocabulary/principal.ts";
import type { Sandboxes } from "../../vocabulary/sandbox.ts";

function confined(clock: ManualClock): Sandboxes {
	const none = noSandboxes(clock);
	const state = { ...none.state, chat: "bubblewrap" } as const;
	return { ...none, state, check: async () => state };
}

const requested = {
	place: "discord:guild:general",
	people: null,
	tools: null,
	classes: null,
	maxActions: 200,
	lifeMs: 3_600_000,
	reason: "release",
};

test.each([
	[1, "all work"],
	[2, "all work"],
	[1, "their own run"],
	[2, "their own run"],
] as const)(
	"if commit %i of the stop of %s is lost, a repeated stop ends the work and the trust",
	async (lost, input) => {
		const clock = new ManualClock();
		const begun = Promise.withResolvers<void>();
		let left = 0;
		const failpoints: Failpoints = {
			reach(name) {
				if (name !== "store.commit" || left === 0) return;
				left -= 1;
				if (left === 0) throw new Error("the gateway dies");
			},
		};
		const model = new ScriptedModel(async function* (_request, signal) {
			begun.resolve();
			await new Promise((resolve) => signal.addEventListener("abort", resolve));
			yield says("never");
		});
		await using t = await TestRuntime.open({ model, clock, failpoints, sandbox: confined(clock) });
		await t.runtime.start();
		const member = testConnector("member");
		const session = await t.create(member);
		const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
		const { runId } = await t.runtime.send(unkeyed(member), session, { content: "go" });
		const ending = input === "their own run" ? { runId } : {};
		await begun.promise;
		const { grants } = t.runtime.trust;
		await grants.request(unkeyed(), requested);
		await t.settle();
		const stop = { ...unkeyed(member), key: "stop" };
		left = lost;
		await expect(t.runtime.cancel(stop, session, ending)).rejects.toThrow();
		left = 0;
		await expect(t.runtime.cancel(stop, session, ending)).resolves.toEqual({ status: "cancelled" });
		expect(await grants.list(operator, false)).toEqual([]);
		await expect(log.next("assistant.message")).resolves.toMatchObject({
			error: "cancelled",
			stoppedBy: member.person?.id,
		});
		await grants.request(unkeyed(), requested);
		await t.runtime.cancel(stop, session, ending);
		expect(await grants.list(operator, false)).toHaveLength(1);
	},
);
