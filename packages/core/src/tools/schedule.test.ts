import { expect, test } from "vitest";
import { EventLog } from "../testing/event-log.ts";
import { calls, ScriptedModel, type ScriptedReply, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { operator, type Principal } from "../vocabulary/principal.ts";

const task = { prompt: "count the issues", when: "every day at 9:00", time_zone: "UTC" };
const create = calls("c1", "schedule_task", task);
const done: ScriptedReply = [says("done")];

function person(role: "member" | "approver" = "member", user = "ann"): Principal {
	const place = { platform: "discord", tenant: "T", channel: "C1", shared: false };
	return {
		id: "connector:discord",
		kind: "connector",
		platform: "discord",
		person: { id: `discord:T:${user}`, name: user, role, place },
	};
}

async function talk(by: Principal, ...replies: readonly ScriptedReply[]) {
	const model = new ScriptedModel(...replies);
	const t = await TestRuntime.open({ model });
	const session = await t.create(by);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const say = () => t.runtime.send(unkeyed(by), session, { content: "remind me" });
	const taint = async (to: string): Promise<void> => {
		await t.store.commit((tx) =>
			tx.updateTable("sessions").set({ taint: to }).where("id", "=", session).execute(),
		);
	};
	return { t, model, session, log, say, taint, schedules: t.runtime.schedules };
}

test("the agent creates, lists and removes schedules of the person, each change with an approval", async () => {
	const remove = async function* (request: Parameters<ScriptedModel["stream"]>[0]) {
		const [id = ""] = /sched_\w+/.exec(JSON.stringify(request.messages)) ?? [];
		yield calls("c3", "unschedule_task", { id });
		yield { type: "end" as const, stop: "tool_use" as const, usage: noTokens, model: "m" };
	};
	const noTokens = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
	const { t, session, log, say, schedules } = await talk(
		operator,
		[create],
		[calls("c2", "list_schedules")],
		remove,
		done,
	);
	await using _ = t;
	await say();
	const first = await log.next("prompt.requested");
	expect(first.prompt.label).toBe("Allow schedule every day at 9:00 (UTC): count the issues?");
	expect(first.prompt.approval).toMatchObject({ risk: "normal", allowSession: false });
	await t.runtime.answer(unkeyed(), first.prompt.token, { value: true });
	expect(await log.next("schedule.created")).toMatchObject({ title: "count the issues", owner: "operator" });
	const [created] = await schedules.list(operator, { limit: 9 });
	expect(created).toMatchObject({ sessionId: session, taint: "", prompt: "count the issues", show: "post" });
	const second = await log.next("prompt.requested");
	expect(second.prompt.label).toBe("Allow remove the schedule count the issues (cron 0 9 * * * (UTC))?");
	await t.runtime.answer(unkeyed(), second.prompt.token, { value: true });
	await log.next("assistant.message");
	expect(await schedules.list(operator, { limit: 9 })).toEqual([]);
	log.check();
});

test("accept_all_tools covers a schedule of a session without taint, but not of one with taint", async () => {
	const { t, session, log, say, taint, schedules } = await talk(operator, [create], done, [create], done);
	await using _ = t;
	await t.runtime.acceptAll(unkeyed(), session);
	await say();
	await log.next("assistant.message");
	expect(log.recorded).not.toContain("prompt.requested");
	await taint("U");
	await say();
	const { prompt } = await log.next("prompt.requested");
	expect(prompt.approval).toMatchObject({ risk: "critical" });
	await t.runtime.acceptAll(unkeyed(), session);
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await log.next("assistant.message");
	const taints = (await schedules.list(operator, { limit: 9 })).map((one) => one.taint);
	expect(taints.toSorted()).toEqual(["", "U"]);
});

test("in a chat an approver approves a schedule, which belongs to the person and keeps the taint", async () => {
	const { t, log, say, taint, schedules } = await talk(person(), [create], done);
	await using _ = t;
	await taint("UP");
	await say();
	const { prompt } = await log.next("prompt.requested");
	const approve = (by: Principal) => t.runtime.answer(unkeyed(by), prompt.token, { value: true });
	await expect(approve(person())).rejects.toThrow("only approvers of this channel can approve this");
	await approve(person("approver", "bob"));
	await log.next("assistant.message");
	const [created] = await schedules.list(person(), { limit: 9 });
	expect(created).toMatchObject({ owner: "discord:T:ann", taint: "UP" });
});

test("a run of a schedule creates no schedules, and adds its taint to the session", async () => {
	const { t, session, log, schedules } = await talk(operator, [create], done);
	await using _ = t;
	await t.runtime.start();
	const requested = { prompt: "go", trigger: { kind: "interval", everyMs: 60_000 } as const };
	const { id } = await schedules.create(unkeyed(), { sessionId: session }, requested);
	await t.store.commit((tx) =>
		tx.updateTable("schedules").set({ taint: "P" }).where("id", "=", id).execute(),
	);
	t.clock.advance(60_000);
	expect(await log.next("tool.failed")).toMatchObject({
		error: expect.stringContaining("a run that a schedule started cannot create schedules"),
	});
	await log.next("assistant.message");
	const rows = await t.store.read((db) => db.selectFrom("sessions").select("taint").execute());
	expect(rows).toEqual([{ taint: "P" }]);
	expect(log.recorded).not.toContain("prompt.requested");
});

test("an invalid time is reported to the model before any approval", async () => {
	const wrong = calls("c1", "schedule_task", { prompt: "p", when: "soon" });
	const unknown = calls("c2", "unschedule_task", { id: "sched_x" });
	const { t, log, say } = await talk(operator, [wrong, unknown], done);
	await using _ = t;
	await say();
	expect(await log.next("tool.failed")).toMatchObject({
		error: expect.stringContaining('"soon" is not understood'),
	});
	expect(await log.next("tool.failed")).toMatchObject({
		error: expect.stringContaining('Schedule not found: "sched_x"'),
	});
	await log.next("assistant.message");
	expect(log.recorded).not.toContain("prompt.requested");
});

test("a schedule that a member requests in a run of the operator belongs to the member", async () => {
	const member = person("member");
	const { promise: joined, resolve: join } = Promise.withResolvers<void>();
	const slow = async function* () {
		await joined;
		yield says("I listen");
		yield { type: "end" as const, stop: "end_turn" as const, usage: noUsage, model: "m" };
	};
	const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
	const { t, session, log, schedules } = await talk(member, slow, [create], done);
	await using _ = t;
	await t.runtime.send(unkeyed(operator), session, { content: "look at the issues" });
	await t.runtime.steer(unkeyed(member), session, { content: "remind me of them each day" });
	join();
	const request = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), request.prompt.token, { value: true });
	expect(await log.next("schedule.created")).toMatchObject({ owner: "discord:T:ann" });
	const [created] = await schedules.list(operator, { limit: 9 });
	expect(created).toMatchObject({ owner: "discord:T:ann", person: { role: "member" } });
});
