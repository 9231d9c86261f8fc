import { setImmediate as tick } from "node:timers/promises";
import { expect, test } from "vitest";
import { checkEventOrder } from "../../testing/event-order.ts";
import { calls, type ScriptedReply, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { TaskScript } from "../../testing/workflow-script.ts";
import { operator } from "../../vocabulary/principal.ts";
import { hasEnded } from "../../vocabulary/task.ts";

/**
 * Moments at which a task is cancelled: after a number of recorded events, and then after a number of ticks. The scripts
 * below cause about ninety events.
 */
const everyMoment = Array.from({ length: 30 }, (_, index) =>
	[0, 3].map((ticks) => [3 * index, ticks] as const),
).flat();

function eventCount({ runtime }: TestRuntime, events: number): Promise<void> {
	return new Promise((resolve) => {
		let left = events;
		if (left === 0) return resolve();
		const stop = runtime.observe(operator, ({ transient }) => {
			if (transient || --left > 0) return;
			stop();
			resolve();
		});
	});
}

async function checkAll({ runtime }: TestRuntime, home: string): Promise<void> {
	const tasks = await runtime.tasks.list(operator, { limit: 100, sessionId: home });
	for (const sessionId of [home, ...tasks.map(({ ownSessionId }) => ownSessionId)]) {
		checkEventOrder(await runtime.history.newest(operator, { limit: 1000, sessionId }), true);
	}
}

async function allEnded({ runtime, store, settle }: TestRuntime, home: string): Promise<void> {
	for (;;) {
		const tasks = await runtime.tasks.list(operator, { limit: 100, sessionId: home });
		const runs = await store.read((db) =>
			db.selectFrom("runs").select("id").where("state", "<>", "ended").execute(),
		);
		if (tasks.every(({ state }) => hasEnded(state)) && runs.length === 0) return;
		await settle();
	}
}

test("a task can be cancelled at any moment, and no part of it remains", async () => {
	const plan = (id: string): ScriptedReply => [calls(id, "plan", { steps: [{ title: id }] })];
	const scripts: Record<string, ScriptedReply[]> = {};
	for (const moment of everyMoment) {
		const worker = { title: `worker ${moment}`, description: "help" };
		scripts[`task ${moment}`] = [
			[calls("c1", "spawn_worker", worker)],
			[calls("c2", "wait_for_workers")],
			[calls("c3", "spawn_worker", { ...worker, title: `late ${moment}` })],
			...["c4", "c5", "c6"].map(plan),
			[says("done")],
		];
		scripts[`worker ${moment}`] = [...["c1", "c2", "c3"].map(plan), [says("helped")]];
		scripts[`late ${moment}`] = [[calls("c1", "request_review", { reason: "may I?", content: "this" })]];
	}
	await using t = await TestRuntime.open({ model: new TaskScript(scripts) });
	await t.runtime.start();
	const ends = new Set<string>();
	for (const moment of everyMoment) {
		const [events, ticks] = moment;
		const home = await t.create();
		const requested = { title: `task ${moment}`, description: "go" };
		const reached = eventCount(t, events);
		const { id } = await t.runtime.tasks.submit(unkeyed(), home, requested);
		await Promise.race([reached, allEnded(t, home)]);
		for (let left = ticks; left > 0; left--) await tick();
		ends.add(await t.runtime.tasks.cancel(unkeyed(), id, "enough"));
		await allEnded(t, home);
		await checkAll(t, home);
	}
	// An early cancellation ends the task, and a late cancellation finds it completed.
	expect(ends).toEqual(new Set(["cancelled", "completed"]));
	expect(t.log.records.filter(({ level }) => level === "error")).toEqual([]);
});

test("a reply at the moment of the question continues the task", async () => {
	const asks = (id: string): ScriptedReply => [
		calls(id, "request_review", { reason: "may I?", content: "this" }),
	];
	const model = new TaskScript({ Top: [asks("c1"), asks("c2"), asks("c3"), [says("done")]] });
	await using t = await TestRuntime.open({ model });
	await t.runtime.start();
	const replies: Promise<void>[] = [];
	t.runtime.observe(operator, ({ event }) => {
		if (event.type !== "task.suspended") return;
		const reply = { approved: true, feedback: `word ${event.suspendCount}`, token: event.token };
		replies.push(t.runtime.tasks.reply(unkeyed(), event.taskId, reply));
	});
	const home = await t.create();
	const { id } = await t.runtime.tasks.submit(unkeyed(), home, { title: "Top", description: "go" });
	await allEnded(t, home);
	await Promise.all(replies);
	expect(await t.runtime.tasks.check(operator, id)).toMatchObject({ state: "completed", suspendCount: 3 });
	const received = JSON.stringify(model.requests("Top").at(-1)?.messages);
	for (const word of ["word 1", "word 2", "word 3"]) expect(received).toContain(word);
	await checkAll(t, home);
});

test("a reply before the end of the run is processed after its end", async () => {
	const model = new TaskScript({
		Top: [[calls("c1", "request_review", { reason: "may I?", content: "this" })], [says("done")]],
	});
	const gate = Promise.withResolvers<void>();
	const failpoints = { reach: (name: string) => (name === "tool-exit" ? gate.promise : undefined) };
	await using t = await TestRuntime.open({ model, failpoints });
	await t.runtime.start();
	const home = await t.create();
	const suspended = new Promise<void>((resolve) => {
		t.runtime.observe(operator, ({ event }) => {
			if (event.type === "task.suspended") resolve();
		});
	});
	const { id } = await t.runtime.tasks.submit(unkeyed(), home, { title: "Top", description: "go" });
	await suspended;
	await t.runtime.tasks.reply(unkeyed(), id, { approved: true, feedback: "" });
	await t.settle();
	expect(await t.runtime.tasks.check(operator, id)).toMatchObject({ state: "pending" });
	gate.resolve();
	await allEnded(t, home);
	expect(await t.runtime.tasks.check(operator, id)).toMatchObject({ state: "completed", suspendCount: 1 });
	await checkAll(t, home);
});

test("a task that waits for a person does not expire", async () => {
	const model = new TaskScript({
		Top: [[calls("c1", "request_review", { reason: "may I?", content: "this" })], [says("done")]],
	});
	await using t = await TestRuntime.open({ model });
	await t.runtime.start();
	const home = await t.create();
	const { id } = await t.runtime.tasks.submit(unkeyed(), home, { title: "Top", description: "go" });
	const check = () => t.runtime.tasks.check(operator, id);
	while ((await check()).state !== "suspended") await t.settle();
	const { review } = await check();
	for (let day = 0; day < 400; day++) {
		t.clock.advance(24 * 60 * 60 * 1000);
		await tick();
	}
	await t.settle();
	expect(await check()).toMatchObject({ state: "suspended", review, suspendCount: 1 });
	await t.runtime.tasks.reply(unkeyed(), id, { approved: true, feedback: "" });
	await allEnded(t, home);
	expect((await check()).state).toBe("completed");
});
