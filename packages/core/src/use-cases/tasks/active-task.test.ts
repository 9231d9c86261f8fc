import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { ScriptedModel, type ScriptedReply, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { ModelError, type ModelFault } from "../../vocabulary/model-error.ts";
import { operator } from "../../vocabulary/principal.ts";
import type { TaskFacts } from "../../vocabulary/task.ts";
import { noUsage } from "../../vocabulary/usage.ts";

function fails(fault: ModelFault, retryAfterMs?: number): ScriptedReply {
	return async function* () {
		yield { type: "usage", usage: { ...noUsage, inputTokens: 7, outputTokens: 1 }, model: "scripted" };
		yield says("well");
		throw new ModelError(`the provider is ${fault}`, { fault, retryAfterMs });
	};
}

/** Number of model calls for a reply before its task is postponed. */
const triesPerReply = 3;
const unreachable = (times: number, retryAfterMs?: number): ScriptedReply[] =>
	Array<ScriptedReply>(times * triesPerReply).fill(fails("unreachable", retryAfterMs));

async function begun(...replies: readonly ScriptedReply[]) {
	const t = await TestRuntime.open({ model: new ScriptedModel(...replies) });
	await t.runtime.start();
	const home = await t.create();
	const log = await EventLog.join(t.runtime, home, { afterSeq: 0 });
	const { id } = await t.runtime.tasks.submit(unkeyed(), home, { title: "Top", description: "go" });
	const check = (): Promise<TaskFacts> => t.runtime.tasks.check(operator, id);
	return { t, log, id, check };
}

async function failure(t: TestRuntime, log: EventLog) {
	let failed: Awaited<ReturnType<typeof log.next<"task.failed">>> | undefined;
	void log.next("task.failed").then((event) => {
		failed = event;
	});
	for (await t.settle(); !failed; await t.settle()) t.clock.advance(1_000);
	return failed;
}

async function pause({ store, clock }: TestRuntime): Promise<number> {
	const row = await store.read((db) => db.selectFrom("tasks").select("not_before").executeTakeFirstOrThrow());
	return Number(row.not_before) - clock.now();
}

test("each pause after a provider error is twice as long, and after three the task fails", async () => {
	const { t, log, id, check } = await begun(...unreachable(4));
	await using _ = t;
	for (const [retryCount, ms] of [15_000, 30_000, 60_000].entries()) {
		expect(await failure(t, log)).toMatchObject({ taskId: id, retryCount, willRetry: true });
		expect(await check()).toMatchObject({ state: "pending", retryCount: retryCount + 1 });
		expect(await pause(t)).toBe(ms);
		t.clock.advance(ms);
		await log.next("task.started");
	}
	expect(await failure(t, log)).toMatchObject({ retryCount: 3, willRetry: false });
	expect(await check()).toMatchObject({ state: "failed", error: "the provider is unreachable" });
	log.check();
});

test("a provider that requests a longer wait is not called during it", async () => {
	const { t, log } = await begun(...unreachable(1, 300_000), [says("there")]);
	await using _ = t;
	await failure(t, log);
	expect(await pause(t)).toBe(300_000);
	t.clock.advance(300_000);
	await log.next("task.completed");
});

test("the usage of a failed call is added to the task", async () => {
	const { t, log, check } = await begun(...unreachable(1), [says("there")]);
	await using _ = t;
	const before = { inputTokens: triesPerReply * 7, outputTokens: triesPerReply };
	expect(await failure(t, log)).toMatchObject({ usage: before });
	t.clock.advance(15_000);
	const usage = { inputTokens: triesPerReply * 7 + 10, outputTokens: triesPerReply + 5 };
	expect(await log.next("task.completed")).toMatchObject({ usage });
	expect((await check()).usage).toMatchObject(usage);
});

test.each<ModelFault>(["rejected", "unauthenticated"])(
	"a task whose provider says %s fails at once",
	async (fault) => {
		const { t, log, check } = await begun(fails(fault));
		await using _ = t;
		expect(await log.next("task.failed")).toMatchObject({ retryCount: 0, willRetry: false });
		expect(await check()).toMatchObject({
			state: "failed",
			retryCount: 0,
			error: `the provider is ${fault}`,
		});
		log.check();
	},
);

test("a postponed task can be cancelled, and is not retried", async () => {
	const { t, log, id, check } = await begun(...unreachable(1));
	await using _ = t;
	await failure(t, log);
	expect(await t.runtime.tasks.cancel(unkeyed(), id, "enough")).toBe("cancelled");
	t.clock.advance(60_000);
	await t.settle();
	expect(await check()).toMatchObject({ state: "cancelled", retryCount: 1 });
	log.check();
});
