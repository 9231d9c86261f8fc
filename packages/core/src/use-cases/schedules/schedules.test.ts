import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { calls, ScriptedModel, type ScriptedReply, says, stuck } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import type { PersonCheck, PersonReport } from "../../trust/people/person-checks.ts";
import { operator, type Principal } from "../../vocabulary/principal.ts";
import { type RequestedTrigger, type Schedule, scheduleLimits } from "../../vocabulary/schedule.ts";

const minute = 60_000;
const hour = 60 * minute;

/** Clock with a wall time that tests can set. The timers do not depend on the wall time. */
class WallClock extends ManualClock {
	#shift = 0;

	override now(): number {
		return super.now() + this.#shift;
	}

	set(by: number): void {
		this.#shift += by;
	}
}

const answer: ScriptedReply = [says("done")];

interface OpenRuntime extends AsyncDisposable {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;
	readonly clock: WallClock;
	readonly session: string;
	readonly log: EventLog;
}

async function open(replies: readonly ScriptedReply[] = Array(50).fill(answer)): Promise<OpenRuntime> {
	const model = new ScriptedModel(...replies);
	const clock = new WallClock();
	const t = await TestRuntime.open({ model, clock });
	await t.runtime.start();
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session);
	return { t, model, clock, session, log, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

function plan(
	t: TestRuntime,
	session: string,
	trigger: RequestedTrigger,
	by: Principal = operator,
): Promise<Schedule> {
	const requested = { prompt: "report", trigger, show: "post" as const };
	return t.runtime.schedules.create(unkeyed(by), { sessionId: session }, requested);
}

const words = (when: string): RequestedTrigger => ({ kind: "words", when, timeZone: "UTC" });

async function firings({ runtime }: TestRuntime, sessionId: string): Promise<string[]> {
	const types = ["schedule.trigger"];
	const events = await runtime.history.newest(operator, { limit: 1000, sessionId, types });
	return events.flatMap(({ event }) =>
		event.type === "schedule.trigger"
			? [
					`${new Date(event.dueAt).toISOString().slice(0, 16)}${event.late ? " late" : ""}${event.error ? ` ${event.error}` : ""}`,
				]
			: [],
	);
}

async function pass({ t, clock }: Pick<OpenRuntime, "t" | "clock">, ms: number): Promise<void> {
	await t.settle();
	for (let passed = 0; passed < ms; passed += minute) {
		clock.advance(Math.min(minute, ms - passed));
		await t.settle();
	}
}

test("a schedule sends its prompt at each due time, as a run of its owner", async () => {
	await using opened = await open();
	const { t, session, model, log } = opened;
	const created = await plan(t, session, words("every 2 hours"));
	expect(created).toMatchObject({
		owner: "operator",
		show: "post",
		title: "report",
		nextDue: Date.UTC(2026, 0, 1, 2),
	});
	await pass(opened, 4 * hour + minute);
	expect(await firings(t, session)).toEqual(["2026-01-01T02:00", "2026-01-01T04:00"]);
	expect(model.requests).toHaveLength(2);
	const message = await log.next("user.message");
	expect(message).toMatchObject({
		content: "report",
		origin: { scheduleId: created.id, late: false, show: "post" },
	});
	expect(await log.next("assistant.message")).toMatchObject({
		content: "done",
		origin: { scheduleId: created.id },
	});
	const [listed] = await t.runtime.schedules.list(operator, { limit: 10 });
	expect(listed).toMatchObject({ firings: 2, nextDue: Date.UTC(2026, 0, 1, 6) });
	await t.runtime.schedules.remove(unkeyed(), created.id);
	await pass(opened, 4 * hour);
	expect(model.requests).toHaveLength(2);
	expect(await log.next("schedule.removed")).toMatchObject({ reason: "removed", by: "operator" });
});

test("a schedule for one time fires once and is removed", async () => {
	await using opened = await open();
	const { t, session, log } = opened;
	await plan(t, session, words("in 30 minutes"));
	await pass(opened, 2 * hour);
	expect(await firings(t, session)).toEqual(["2026-01-01T00:30"]);
	expect(await log.next("schedule.removed")).toMatchObject({ reason: "completed", by: "" });
	expect(await t.runtime.schedules.list(operator, { limit: 10 })).toEqual([]);
});

test("due times during a stop of the gateway fire once and are late", async () => {
	const { t, session, clock } = await open();
	await plan(t, session, words("every hour"));
	await t.stop();
	clock.advance(5 * hour + 10 * minute);
	const model = new ScriptedModel(answer, answer);
	await using again = await TestRuntime.open({ model, clock, directory: t.directory });
	await again.runtime.start();
	await pass({ t: again, clock }, hour);
	expect(await firings(again, session)).toEqual(["2026-01-01T01:00 late", "2026-01-01T06:00"]);
});

test("a clock that is set back or forward repeats no due time and loses no later one", async () => {
	await using opened = await open();
	const { t, session, clock } = opened;
	await plan(t, session, words("every day at 9:00"));
	await pass(opened, 9 * hour + 5 * minute);
	clock.set(-2 * hour);
	await pass(opened, 3 * hour);
	expect(await firings(t, session)).toEqual(["2026-01-01T09:00"]);
	clock.set(400 * 24 * hour);
	await pass(opened, 2 * minute);
	expect(await firings(t, session)).toEqual(["2026-01-01T09:00", "2026-01-02T09:00 late"]);
	clock.set(-400 * 24 * hour);
	await pass(opened, 2 * minute);
	const [schedule] = await t.runtime.schedules.list(operator, { limit: 1 });
	expect(schedule?.nextDue).toBe(Date.UTC(2026, 0, 3, 9));
});

test("a schedule is not silent after a clock that was days ahead for several firings is set back", async () => {
	await using opened = await open();
	const { t, session, clock } = opened;
	const { id } = await plan(t, session, words("every day at 9:00"));
	clock.set(46 * hour);
	await pass(opened, 2 * minute);
	clock.set(24 * hour);
	await pass(opened, 2 * minute);
	clock.set(-70 * hour);
	await pass(opened, minute);
	const before = await firings(t, session);
	expect(before).toHaveLength(2);
	await pass(opened, 33 * hour);
	expect((await firings(t, session)).slice(2)).toEqual(["2026-01-01T09:00", "2026-01-02T09:00"]);
	const [schedule] = await t.runtime.schedules.list(operator, { limit: 1 });
	expect(schedule).toMatchObject({ id, firings: 4, nextDue: Date.UTC(2026, 0, 3, 9) });
});

test.each(["every hour", "0 * * * *"])(
	"a schedule %s that was created while the clock was far ahead fires after the clock is set back",
	async (when) => {
		await using opened = await open();
		const { t, session, clock } = opened;
		clock.set(400 * 24 * hour);
		await plan(t, session, words(when));
		clock.set(-400 * 24 * hour);
		await pass(opened, 2 * hour + 2 * minute);
		expect(await firings(t, session)).toEqual(["2026-01-01T01:00", "2026-01-01T02:00"]);
	},
);

test("a due time waits while a run is active in its session", async () => {
	await using opened = await open([stuck("I think"), answer]);
	const { t, session, log } = opened;
	await plan(t, session, words("in 5 minutes"));
	await t.send(session, "work");
	await pass(opened, 8 * minute);
	expect(await firings(t, session)).toEqual([]);
	await t.runtime.cancel(unkeyed(), session);
	await log.next("assistant.message");
	await pass(opened, minute);
	expect(await firings(t, session)).toEqual(["2026-01-01T00:05 late"]);
});

function person(role: "member" | "guest" | "stranger", user = "ann"): Principal {
	const place = { platform: "discord", tenant: "T", channel: "C1", shared: false };
	return {
		id: "connector:discord",
		kind: "connector",
		platform: "discord",
		person: { id: `discord:T:${user}`, name: user, role, place, platformRoles: [] },
	};
}

const here: PersonReport = { present: true, roles: [], guest: false, shared: false };

function connect({ runtime }: TestRuntime, answer: () => PersonReport | undefined): PersonCheck[] {
	const { checks } = runtime.trust;
	const principal: Principal = { id: "connector:discord", kind: "connector", platform: "discord" };
	const personChecks: PersonCheck[] = [];
	checks.listen(principal, (check) => {
		personChecks.push(check);
		const report = answer();
		if (report) checks.report(principal, check.id, report);
	});
	return personChecks;
}

async function openChat(): Promise<OpenRuntime & { readonly schedule: Schedule }> {
	const model = new ScriptedModel(...Array<ScriptedReply>(50).fill(answer));
	const clock = new WallClock();
	const chat = {
		allow: [{ platform: "discord", platformRole: "R", as: "member" as const }],
		deny: [],
		tenants: { discord: ["T"] },
		places: {},
	};
	const t = await TestRuntime.open({ model, clock, chat });
	await t.runtime.start();
	const ann = person("member");
	const by = { ...ann, ...(ann.person && { person: { ...ann.person, platformRoles: ["R"] } }) };
	const { id: session } = await t.runtime.create(unkeyed(by), {});
	const log = await EventLog.join(t.runtime, session);
	const schedule = await plan(t, session, words("every hour"), by);
	return { t, model, clock, session, log, schedule, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

test("a firing has the roles that the platform gives its owner at that moment", async () => {
	await using opened = await openChat();
	const { t, session, model, log } = opened;
	let now: PersonReport = { ...here, roles: ["R"] };
	const personChecks = connect(t, () => now);
	await pass(opened, hour);
	expect(await log.next("schedule.trigger")).toMatchObject({ error: "" });
	await log.next("assistant.message");
	expect(personChecks).toMatchObject([
		{ sessionId: session, user: "ann", place: { platform: "discord", tenant: "T", channel: "C1" } },
	]);
	const states: readonly (readonly [PersonReport, string])[] = [
		[{ ...here, roles: ["other"] }, "discord:T:ann has no access"],
		[{ present: false, reason: "left" }, "discord:T:ann has left the server or workspace"],
		[{ present: false, reason: "no_access" }, "discord:T:ann can no longer write in the channel"],
		[{ ...here, roles: ["R"], guest: true }, "only members can schedule messages"],
	];
	for (const [state, problem] of states) {
		now = state;
		await pass(opened, hour);
		expect(await log.next("schedule.trigger")).toMatchObject({ error: expect.stringContaining(problem) });
		const [listed] = await t.runtime.schedules.list(operator, { limit: 1 });
		expect(listed).toMatchObject({ firings: 1, problem: expect.stringContaining(problem) });
	}
	now = { ...here, roles: ["R"] };
	await pass(opened, hour);
	await log.next("assistant.message");
	expect(model.requests).toHaveLength(2);
});

test("a due time waits for an unavailable connector, and fires late when it answers", async () => {
	await using opened = await openChat();
	const { t, session, model, log } = opened;
	await pass(opened, hour + 2 * minute);
	const listed = async () => (await t.runtime.schedules.list(operator, { limit: 1 }))[0];
	expect(await listed()).toMatchObject({
		problem: expect.stringContaining("connector:discord is not connected"),
		firings: 0,
		nextDue: Date.UTC(2026, 0, 1, 1),
	});
	expect(await firings(t, session)).toEqual([]);
	let report: PersonReport | undefined;
	const personChecks = connect(t, () => report);
	await t.settle();
	// The connector is asked immediately, and again a minute after a missing answer.
	await pass(opened, 4 * minute);
	expect(personChecks.length).toBeGreaterThanOrEqual(2);
	expect(model.requests).toHaveLength(0);
	report = { ...here, roles: ["R"] };
	await pass(opened, 2 * minute);
	await log.next("assistant.message");
	expect(await firings(t, session)).toEqual(["2026-01-01T01:00 late"]);
	expect(await listed()).not.toHaveProperty("problem");
});

test("other schedules fire while a connector is asked, and only that connector can answer", async () => {
	await using opened = await openChat();
	const { t, model, log } = opened;
	const { checks } = t.runtime.trust;
	const personChecks = connect(t, () => undefined);
	const mine = await t.create();
	const logOfMine = await EventLog.join(t.runtime, mine);
	await plan(t, mine, words("every hour"));
	await pass(opened, hour);
	await logOfMine.next("assistant.message");
	expect(personChecks).toHaveLength(1);
	const [check] = personChecks;
	const by = (id: string): Principal => ({ id, kind: "connector", platform: "discord" });
	const report: PersonReport = { ...here, roles: ["R"] };
	expect(checks.report(by("connector:other"), check?.id ?? "", report)).toBe(false);
	expect(() => checks.report(operator, check?.id ?? "", report)).toThrow(
		"the operator does not have the permission person.report",
	);
	expect(checks.report(by("connector:discord"), check?.id ?? "", report)).toBe(true);
	expect(checks.report(by("connector:discord"), check?.id ?? "", report)).toBe(false);
	await log.next("assistant.message");
	expect(model.requests).toHaveLength(2);
});

test("each firing has the present rights of its owner, and one event reports that they are missing", async () => {
	await using opened = await open();
	const { t, clock } = opened;
	const now = clock.now();
	const stamp = { epoch: 1, v: 1 };
	await t.store.commit(async (tx) => {
		const tenant = { platform: "discord", tenant: "T", added_by: "operator", created_at: now, ...stamp };
		await tx.insertInto("tenants").values(tenant).execute();
	});
	const role = (to: "member" | "guest") => t.runtime.trust.people.setRole(unkeyed(), "discord:T:ann", to);
	connect(t, () => here);
	await role("member");
	const { id } = await t.runtime.create(unkeyed(person("member")), {});
	await expect(plan(t, id, words("every hour"), person("guest"))).rejects.toThrow(
		"only members can schedule messages",
	);
	await plan(t, id, words("every hour"), person("member"));
	await role("guest");
	await pass(opened, 3 * hour + minute);
	expect(await firings(t, id)).toEqual([expect.stringContaining("only members can schedule messages")]);
	const [refused] = await t.runtime.schedules.list(operator, { limit: 1 });
	expect(refused).toMatchObject({
		firings: 0,
		problem: expect.stringContaining("only members can schedule messages"),
	});
	await role("member");
	await pass(opened, hour);
	const [fires] = await t.runtime.schedules.list(person("member"), { limit: 1 });
	expect(fires).toMatchObject({ firings: 1 });
	expect(fires).not.toHaveProperty("problem");
	await t.runtime.trust.people.remove(unkeyed(), "discord:T:ann");
	await pass(opened, hour);
	const [removed] = await t.runtime.schedules.list(operator, { limit: 1 });
	expect(removed).toMatchObject({ firings: 1, problem: expect.stringContaining("has no access") });
});

test("people see and remove their own schedules, and the operator sees and removes all", async () => {
	await using opened = await open();
	const { t, session } = opened;
	const { schedules } = t.runtime;
	const { id } = await t.runtime.create(unkeyed(person("member")), {});
	const anns = await plan(t, id, words("every hour"), person("member"));
	const bobs = await plan(t, id, words("every hour"), person("member", "bob"));
	const mine = await plan(t, session, words("every hour"));
	const seen = async (by: Principal) => (await schedules.list(by, { limit: 9 })).map((one) => one.id).sort();
	expect(await seen(person("member"))).toEqual([anns.id]);
	expect(await seen(person("guest", "bob"))).toEqual([bobs.id]);
	expect(await seen(operator)).toEqual([anns.id, bobs.id, mine.id].sort());
	for (const [by, of] of [
		[person("member"), bobs],
		[person("member"), mine],
		[person("member", "bob"), anns],
	] as const) {
		await expect(schedules.remove(unkeyed(by), of.id)).rejects.toThrow(`Schedule not found: "${of.id}"`);
	}
	for (const by of [person("stranger"), { id: "observer:o", kind: "observer" } as const]) {
		await expect(schedules.list(by, { limit: 9 })).rejects.toThrow();
		await expect(schedules.remove(unkeyed(by), anns.id)).rejects.toThrow();
	}
	await expect(plan(t, session, words("every hour"), person("member"))).rejects.toThrow("session not found");
	await schedules.remove(unkeyed(person("guest", "bob")), bobs.id);
	await schedules.remove(unkeyed(), anns.id);
	expect(await seen(operator)).toEqual([mine.id]);
});

test("a run of a schedule has no grant: accept_all_tools does not cover its calls", async () => {
	const write = [calls("c1", "write_file", { path: "a.txt", content: "x" })];
	await using opened = await open([write, answer, write, answer]);
	const { t, session, log } = opened;
	await t.runtime.acceptAll(unkeyed(), session);
	await t.send(session, "write");
	expect(await log.next("assistant.message")).toMatchObject({ content: "done" });
	await plan(t, session, words("in 1 minute"));
	await pass(opened, 2 * minute);
	const personChecks = await log.next("prompt.requested");
	expect(personChecks).toMatchObject({ prompt: { approval: { tool: "write_file" } } });
	// Trust that starts while the run waits does not apply either.
	await t.runtime.acceptAll(unkeyed(), session);
	await t.settle();
	await t.runtime.answer(unkeyed(), personChecks.prompt.token, { value: true });
	expect(await log.next("prompt.answered")).toMatchObject({ token: personChecks.prompt.token, value: true });
	expect(await log.next("assistant.message")).toMatchObject({ content: "done" });
});

test("an event starts a schedule, at most once a minute, and no run of a schedule does", async () => {
	await using opened = await open();
	const { t, session, log } = opened;
	await plan(t, session, { kind: "event", event: "assistant.message" });
	const say = async (text: string) => {
		await t.send(session, text);
		await log.next("assistant.message");
	};
	await say("one");
	await pass(opened, minute / 2);
	expect(await firings(t, session)).toHaveLength(1);
	await log.next("assistant.message");
	await say("two");
	await say("three");
	await pass(opened, minute / 4);
	expect(await firings(t, session)).toHaveLength(1);
	await pass(opened, 10 * minute);
	expect(await firings(t, session)).toHaveLength(2);
});

test("events within a minute ask a connector once about an owner who may not fire", async () => {
	await using opened = await openChat();
	const { t, session, clock, schedule, log } = opened;
	const personChecks = connect(t, () => ({ present: false, reason: "left" }));
	await t.runtime.schedules.remove(unkeyed(), schedule.id);
	await plan(t, session, { kind: "event", event: "user.message" }, person("member"));
	for (const text of ["one", "two", "three"]) {
		await t.send(session, text);
		await log.next("assistant.message");
		await t.settle();
		clock.advance(1_000);
		await t.settle();
	}
	expect(personChecks).toHaveLength(1);
	await pass(opened, 2 * minute);
	expect(personChecks).toHaveLength(2);
});

test("an event starts a schedule within a minute after a wrong clock was set back", async () => {
	await using opened = await open();
	const { t, session, clock, log } = opened;
	await plan(t, session, { kind: "event", event: "user.message" });
	clock.set(1_000 * hour);
	await t.send(session, "while the clock is wrong");
	await pass(opened, minute);
	await log.next("schedule.trigger");
	clock.set(-1_000 * hour);
	await pass(opened, minute);
	await t.send(session, "while it is right");
	await pass(opened, 2 * minute);
	expect(await firings(t, session)).toHaveLength(2);
});

test("an event after hundreds of other events starts its schedule", async () => {
	const { t, session, clock } = await open();
	const { id } = await plan(t, session, { kind: "event", event: "user.message" });
	await t.send(session, "hello");
	await t.stop();
	// The store gets more than a thousand events of a run that a schedule started, and then an event of a person's run.
	await using again = await TestRuntime.open({
		model: new ScriptedModel(answer),
		clock,
		directory: t.directory,
	});
	await again.store.commit(async (tx) => {
		const ofPerson = await tx
			.selectFrom("events")
			.selectAll()
			.where("session_id", "=", session)
			.where("type", "=", "user.message")
			.executeTakeFirstOrThrow();
		const run = await tx
			.selectFrom("runs")
			.selectAll()
			.where("session_id", "=", session)
			.executeTakeFirstOrThrow();
		const options = JSON.stringify({ origin: { scheduleId: id } });
		await tx
			.insertInto("runs")
			.values({ ...run, id: "run_s", ordinal: 99, state: "ended", options })
			.execute();
		const data = JSON.stringify({ type: "user.message", runId: "run_s", content: "" });
		const { seq: first } = ofPerson;
		for (let n = 1; n <= 1_100; n++) {
			const place = { seq: Number(first) + 1_000 + n, position: Number(ofPerson.position) + 1_000 + n };
			const row = { ...ofPerson, ...place, id: `evt_${n}`, data };
			await tx.insertInto("events").values(row).execute();
		}
		const end = { seq: Number(first) + 5_000, position: Number(ofPerson.position) + 5_000 };
		const last = { ...ofPerson, ...end, id: "evt_last" };
		await tx.insertInto("events").values(last).execute();
		await tx
			.updateTable("schedules")
			.set({ seen_seq: Number(first) + 1_000, next_due: null })
			.where("id", "=", id)
			.execute();
	});
	await again.runtime.start();
	await pass({ t: again, clock }, 2 * minute);
	const [fired] = await again.runtime.schedules.list(operator, { limit: 1 });
	expect(fired).toMatchObject({ firings: 1 });
});

test("an event from before a crash starts its schedule after it", async () => {
	const { t, session, clock } = await open();
	await plan(t, session, { kind: "event", event: "user.message" });
	await t.runtime.drain(0);
	await t.store.commit(async (tx) => {
		const data = JSON.stringify({ type: "user.message", runId: "run_x", content: "x" });
		const { last_seq } = await tx
			.selectFrom("sessions")
			.select("last_seq")
			.where("id", "=", session)
			.executeTakeFirstOrThrow();
		const seq = Number(last_seq) + 1;
		const row = {
			id: "evt_x",
			session_id: session,
			seq,
			type: "user.message",
			at: clock.now(),
			data,
			hash: null,
			epoch: 1,
			v: 1,
		};
		await tx.insertInto("events").values(row).execute();
		await tx.updateTable("sessions").set({ last_seq: seq }).where("id", "=", session).execute();
	});
	await t.store.close();
	await using again = await TestRuntime.open({
		model: new ScriptedModel(answer),
		clock,
		directory: t.directory,
	});
	await again.runtime.start();
	await pass({ t: again, clock }, minute);
	expect(await firings(again, session)).toHaveLength(1);
});

test("a schedule ends with its session, or continues in the session of its external key", async () => {
	await using opened = await open();
	const { t, session } = opened;
	await plan(t, session, words("every hour"));
	const requested = { prompt: "report", trigger: words("every hour") };
	const existing = await t.runtime.schedules.create(unkeyed(), { externalKey: "ops" }, requested);
	for (const id of [session, existing.sessionId]) await t.runtime.remove(unkeyed(), id, true);
	await pass(opened, hour + minute);
	const [left, ...others] = await t.runtime.schedules.list(operator, { limit: 9 });
	expect(others).toEqual([]);
	expect(left).toMatchObject({ id: existing.id, externalKey: "ops", firings: 1 });
	expect(left?.sessionId).not.toBe(existing.sessionId);
	expect(await firings(t, left?.sessionId ?? "")).toEqual(["2026-01-01T01:00"]);
});

test("an event of a session that was created again under its external key starts the schedule", async () => {
	await using opened = await open();
	const { t } = opened;
	const requested = { prompt: "report", trigger: { kind: "event", event: "user.message" } as const };
	const existing = await t.runtime.schedules.create(unkeyed(), { externalKey: "ops" }, requested);
	await t.runtime.remove(unkeyed(), existing.sessionId, true);
	await pass(opened, minute);
	const history = [{ role: "user", content: [{ type: "text", text: "earlier" }] }] as const;
	const { id } = await t.runtime.create(unkeyed(), { externalKey: "ops", history });
	const [left] = await t.runtime.schedules.list(operator, { limit: 9, sessionId: id });
	expect(left).toMatchObject({ id: existing.id, externalKey: "ops" });
	// Neither the creation of the session nor imported messages fire the schedule.
	await pass(opened, 2 * minute);
	expect(await firings(t, id)).toEqual([]);
	await t.send(id, "hello");
	// On a busy machine, the run may take longer than a fixed number of ticks.
	const firingsLater = async () => {
		await pass(opened, minute);
		return await firings(t, id);
	};
	await expect.poll(firingsLater).toHaveLength(1);
});

test("a session under the same key of another principal gets no schedule", async () => {
	await using opened = await open();
	const { t } = opened;
	const requested = { prompt: "report", trigger: words("every hour") };
	const existing = await t.runtime.schedules.create(unkeyed(), { externalKey: "ops" }, requested);
	await t.runtime.remove(unkeyed(), existing.sessionId, true);
	const other: Principal = { id: "other", kind: "operator" };
	const { id } = await t.runtime.create(unkeyed(other), { externalKey: "ops" });
	expect(await t.runtime.schedules.list(operator, { limit: 9, sessionId: id })).toEqual([]);
});

test("a repeated request creates one schedule, and limits are errors with the value", async () => {
	await using opened = await open();
	const { t, session } = opened;
	const { schedules } = t.runtime;
	const make = (requested: Partial<Parameters<typeof schedules.create>[2]>, key?: string) =>
		schedules.create(
			{ ...unkeyed(), key },
			{ sessionId: session },
			{ prompt: "p", trigger: words("every hour"), ...requested },
		);
	const first = await make({}, "k");
	expect(await make({}, "k")).toEqual(first);
	expect(await schedules.list(operator, { limit: 9 })).toHaveLength(1);
	await expect(make({ prompt: " \0" })).rejects.toThrow('Empty prompt ""');
	await expect(make({ prompt: "x".repeat(20_001) })).rejects.toThrow("The prompt has 20001 characters");
	await expect(make({ title: "x".repeat(201) })).rejects.toThrow("The title has 201 characters");
	for (let n = 1; n < scheduleLimits.perOwner; n++) await make({});
	await expect(make({})).rejects.toThrow("operator already has 50 schedules, the maximum");
});
