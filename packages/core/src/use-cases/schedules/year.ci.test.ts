import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { ScriptedModel, type ScriptedReply, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { cronOf, dailyPlans, expectedTimes, timeOf, yearEnd, yearStart } from "../../testing/wall-times.ts";
import { operator } from "../../vocabulary/principal.ts";

test("three schedules fire at each of their due times in a year, once and in time", async () => {
	const reply: ScriptedReply = [says("done")];
	const clock = new ManualClock(yearStart);
	await using t = await TestRuntime.open({ model: new ScriptedModel(...Array(2_000).fill(reply)), clock });
	await t.runtime.start();
	const three = dailyPlans.slice(0, 3);
	const logs = new Map<string, EventLog>();
	const fired = new Map<string, string[]>();
	for (const plan of three) {
		const session = await t.create();
		logs.set(session, await EventLog.join(t.runtime, session));
		fired.set(session, []);
		const trigger = { kind: "cron", cron: cronOf(plan), timeZone: plan.timeZone } as const;
		await t.runtime.schedules.create(unkeyed(), { sessionId: session }, { prompt: "report", trigger });
	}
	const next = async () => (await t.runtime.schedules.list(operator, { limit: 3 }))[0];
	for (let due = await next(); due?.nextDue !== undefined && due.nextDue < yearEnd; due = await next()) {
		clock.advance(due.nextDue - clock.now());
		const log = logs.get(due.sessionId);
		const event = await log?.next("schedule.trigger");
		expect(event).toMatchObject({ late: false, error: "", scheduleId: due.id });
		fired.get(due.sessionId)?.push(timeOf(clock.now()));
		await log?.next("assistant.message");
		await t.settle();
	}
	expect([...fired.values()]).toEqual(three.map(expectedTimes));
});
