import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { noChat } from "../../vocabulary/chat-settings.ts";
import type { Principal } from "../../vocabulary/principal.ts";

const hour = 60 * 60 * 1000;
const tools = [probeTool("edit", { classes: ["write"] })];

async function open(clock = new ManualClock(), directory?: string, twice = false) {
	const asking = [calls("c1", "edit")];
	const model = new ScriptedModel(asking, ...(twice ? [asking] : []), [says("well then")]);
	const t = await TestRuntime.open({ model, tools, clock, ...(directory !== undefined && { directory }) });
	await t.runtime.start();
	return t;
}

async function ask(t: TestRuntime) {
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	await t.settle();
	return { session, log, prompt };
}

async function pass(t: TestRuntime, hours: number): Promise<void> {
	for (let passed = 0; passed < hours * 6; passed++) {
		t.clock.advance(hour / 6);
		await t.settle();
	}
}

test("people are reminded of a question at half and at nine tenths of its lifetime, once each", async () => {
	await using t = await open();
	const { log, prompt } = await ask(t);
	const reminders = () => log.events.filter(({ event }) => event.type === "prompt.reminded").length;
	await pass(t, 11);
	expect(reminders()).toBe(0);
	await pass(t, 1);
	await expect(log.next("prompt.reminded")).resolves.toEqual({
		type: "prompt.reminded",
		token: prompt.token,
		runId: prompt.runId,
		label: prompt.label,
		expiresAt: prompt.expiresAt,
	});
	await pass(t, 9);
	expect(reminders()).toBe(1);
	await pass(t, 1);
	expect(reminders()).toBe(2);
	await pass(t, 2);
	await expect(log.next("prompt.closed")).resolves.toMatchObject({ reason: "expired" });
	await log.next("assistant.message");
	log.check();
	expect(reminders()).toBe(2);
});

test("a failed reminder does not block others, and is logged once", async () => {
	await using t = await open(undefined, undefined, true);
	const broken = await ask(t);
	t.clock.advance(hour / 60);
	const { log } = await ask(t);
	await t.store.commit((tx) =>
		tx.updateTable("prompts").set({ request: "{" }).where("token", "=", broken.prompt.token).execute(),
	);
	await pass(t, 12);
	t.clock.advance(hour / 60);
	await t.settle();
	await log.next("prompt.reminded");
	await pass(t, 1);
	expect(t.log.records.filter(({ level }) => level === "error")).toMatchObject([
		{ message: "an open question could not be checked", fields: { sessionId: broken.session } },
	]);
});

test("an answered question has no further reminder, and no timer remains", async () => {
	await using t = await open();
	const { log, prompt } = await ask(t);
	await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	await log.next("assistant.message");
	await pass(t, 24);
	expect(log.recorded).not.toContain("prompt.reminded");
	// Only the timer of the daily housekeeping remains.
	expect(t.clock.pending).toBe(1);
});

test("a restart repeats no reminder", async () => {
	const first = await open();
	const { session } = await ask(first);
	await pass(first, 12);
	await first.stop();
	await using second = await open(first.clock, first.directory);
	const log = await EventLog.join(second.runtime, session, { afterSeq: 0 });
	await pass(second, 9);
	const reminders = () => log.recorded.filter((type) => type === "prompt.reminded").length;
	expect(reminders()).toBe(1);
	second.clock.advance(hour);
	await second.settle();
	expect(reminders()).toBe(2);
});

test("two reminders that became due while the gateway was stopped are sent as one", async () => {
	const first = await open();
	const { session } = await ask(first);
	await first.stop();
	first.clock.advance(22 * hour);
	await using second = await open(first.clock, first.directory);
	const log = await EventLog.join(second.runtime, session, { afterSeq: 0 });
	await log.next("prompt.reminded");
	await pass(second, 1);
	expect(log.recorded.filter((type) => type === "prompt.reminded")).toHaveLength(1);
});

/** Clock of a machine that slept: the time has changed, but no timer has run. */
class SleepyClock extends ManualClock {
	asleep = 0;

	override now(): number {
		return super.now() + this.asleep;
	}
}

test("after a sleep of the machine a reminder is sent within ten minutes", async () => {
	const clock = new SleepyClock();
	await using t = await open(clock);
	const { log } = await ask(t);
	clock.asleep = 13 * hour;
	await pass(t, 1 / 6);
	await log.next("prompt.reminded");
});

test("a question expires although no run waits for it", async () => {
	const first = await open();
	const { session, prompt } = await ask(first);
	await first.store.commit((tx) => tx.updateTable("runs").set({ state: "ended" }).execute());
	await first.stop();
	await using second = await open(first.clock, first.directory);
	const log = await EventLog.join(second.runtime, session);
	await pass(second, 24);
	await expect(log.next("prompt.closed")).resolves.toEqual({
		type: "prompt.closed",
		token: prompt.token,
		reason: "expired",
	});
});

const ada: Principal = {
	id: "connector:discord",
	kind: "connector",
	platform: "discord",
	person: {
		id: "discord:guild:ada",
		name: "Ada",
		role: "member",
		place: { platform: "discord", tenant: "guild", channel: "general", shared: false },
	},
};

const minute = 60_000;

async function notified(clock: ManualClock, directory?: string) {
	const groups = ["abe", "eve"].map((name) => ({
		people: [`discord:guild:${name}`],
		by: ["mention"] as const,
	}));
	const t = await TestRuntime.open({
		...{ model: new ScriptedModel([calls("c1", "edit")], [says("well then")]), tools, clock },
		...(directory !== undefined && { directory }),
		chat: {
			...noChat,
			notices: { "discord:guild": { groups, remindMs: 30 * minute, escalateMs: 60 * minute } },
		},
	});
	await t.runtime.start();
	return t;
}

test("an approval with notices has one reminder and one escalation at the configured times, also over a restart", async () => {
	const first = await notified(new ManualClock());
	const session = await first.create(ada);
	const before = await EventLog.join(first.runtime, session, { afterSeq: 0 });
	await first.runtime.send(unkeyed(ada), session, { content: "go" });
	const { prompt } = await before.next("prompt.requested");
	expect(prompt.approval?.notify).toEqual({ people: ["discord:guild:abe"], by: ["mention"] });
	await pass(first, 1 / 3);
	expect(before.recorded).not.toContain("prompt.reminded");
	await first.stop();
	await using second = await notified(first.clock, first.directory);
	const log = await EventLog.join(second.runtime, session, { afterSeq: 0 });
	const notices = () =>
		log.events.flatMap(({ event }) => (event.type === "prompt.reminded" ? [event.notify] : []));
	await pass(second, 1 / 3);
	expect(notices()).toEqual([{ people: ["discord:guild:abe"], by: ["mention"], escalated: false }]);
	await pass(second, 2 / 3);
	expect(notices()).toHaveLength(1);
	await pass(second, 1);
	expect(notices()[1]).toEqual({ people: ["discord:guild:eve"], by: ["mention"], escalated: true });
	await pass(second, 20);
	expect(notices()).toHaveLength(2);
	await pass(second, 2);
	await expect(log.next("prompt.closed")).resolves.toMatchObject({ reason: "expired" });
});

test("after a long stop, each group still has its full time", async () => {
	const first = await notified(new ManualClock());
	const session = await first.create(ada);
	await first.runtime.send(unkeyed(ada), session, { content: "go" });
	// The lifetime of an approval starts with its request, so the test waits for the request.
	await (await EventLog.join(first.runtime, session, { afterSeq: 0 })).next("prompt.requested");
	await first.settle();
	await first.stop();
	first.clock.advance(5 * hour);
	await using second = await notified(first.clock, first.directory);
	const log = await EventLog.join(second.runtime, session, { afterSeq: 0 });
	const count = () => log.recorded.filter((type) => type === "prompt.reminded").length;
	await log.next("prompt.reminded");
	await pass(second, 5 / 6);
	expect(count()).toBe(1);
	await pass(second, 1 / 3);
	expect(count()).toBe(2);
});

test("a denied approval has no notices, and no timer is left for it", async () => {
	await using t = await notified(new ManualClock());
	const session = await t.create(ada);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.send(unkeyed(ada), session, { content: "go" });
	const { prompt } = await log.next("prompt.requested");
	await t.runtime.answer(unkeyed(), prompt.token, { cancelled: true });
	await log.next("assistant.message");
	await pass(t, 5);
	expect(log.recorded).not.toContain("prompt.reminded");
});
