import type { Failpoints } from "@parley/base";
import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { checkEventOrder } from "../testing/event-order.ts";
import { ScriptedModel, says, stuck } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { operator } from "../vocabulary/principal.ts";

test("a refused command rolls back alone, and sequence numbers have no gaps", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel(stuck("...")) });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "active");
	const key = { ...unkeyed(), key: "k" };
	await t.runtime.send({ ...key, params: 1 }, session, { content: "a" });
	const outcomes = await Promise.allSettled([
		t.runtime.send(unkeyed(), session, { content: "b" }),
		// Another request has used the same key. The reuse is detected only inside the transaction.
		t.runtime.send({ ...key, params: 2 }, session, { content: "refused" }),
		t.runtime.send(unkeyed(), session, { content: "c" }),
	]);
	expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
	checkEventOrder(log.events);
	const contents = log.events.flatMap(({ event }) => (event.type === "user.message" ? [event.content] : []));
	expect(contents).toEqual(["active", "a", "b", "c"]);
});

test("events are sent after they are durable, and streamed text waits for them", async () => {
	let gate: PromiseWithResolvers<void> | undefined;
	const failpoints: Failpoints = { reach: (name) => (name === "store.commit" ? gate?.promise : undefined) };
	const speak = Promise.withResolvers<void>();
	const model = new ScriptedModel(async function* () {
		yield says("before");
		await speak.promise;
		yield says(" behind");
		yield {
			type: "end",
			stop: "end_turn",
			usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
			model: "m",
		};
	}, []);
	await using t = await TestRuntime.open({ model, failpoints });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "one");
	await log.next("text.delta");
	gate = Promise.withResolvers();
	const answered: string[] = [];
	const sent = t.send(session, "two").then(() => answered.push("two"));
	await t.settle();
	speak.resolve();
	await t.settle();
	expect(log.streamed).toBe("before");
	expect(log.recorded).toEqual(["session.created", "user.message"]);
	expect(answered).toEqual([]);
	gate.resolve();
	gate = undefined;
	await sent;
	await log.next("assistant.message");
	await log.next("assistant.message");
	log.check();
	const order = log.events.map(({ event }) => (event.type === "text.delta" ? event.text : event.type));
	expect(order.slice(4, 7)).toEqual(["before", "user.message", " behind"]);
});

test("a session is closed when its last client leaves, and active again for the next client", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	const status = async () => (await t.runtime.list(operator, { limit: 1 })).map((listed) => listed.status);
	const first = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const second = await EventLog.join(t.runtime, session);
	await first.leave();
	expect(await status()).toEqual(["active"]);
	await second.leave();
	expect(await status()).toEqual(["closed"]);
	const third = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	expect(await status()).toEqual(["active"]);
	expect(third.recorded).toEqual(["session.created", "session.closed"]);
	expect(second.recorded).toEqual([]);
});

test("a client that joins while the last one leaves keeps the session active", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	const first = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const [second] = await Promise.all([EventLog.join(t.runtime, session, { afterSeq: 0 }), first.leave()]);
	expect((await t.runtime.list(operator, { limit: 1 }))[0]?.status).toBe("active");
	checkEventOrder(second.events);
	await second.leave();
	expect((await t.runtime.list(operator, { limit: 1 }))[0]?.status).toBe("closed");
});

test("leaving twice has the effect of leaving once", async () => {
	await using t = await TestRuntime.open({ model: new ScriptedModel() });
	const session = await t.create();
	const first = await EventLog.join(t.runtime, session);
	const second = await EventLog.join(t.runtime, session);
	await first.leave();
	await first.leave();
	expect((await t.runtime.list(operator, { limit: 1 }))[0]?.status).toBe("active");
	await second.leave();
});
