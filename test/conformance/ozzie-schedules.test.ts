import { ManualClock } from "@parley/base/testing";
import { expect } from "vitest";
import * as z from "zod";
import { as, discordConnector } from "./discord-connector.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const List = z.object({ schedules: z.array(z.looseObject({ entry_id: z.string(), title: z.string() })) });

async function titles(client: OzzieClient, params: object = {}): Promise<string[]> {
	const { schedules } = List.parse(await client.call("list_schedules", params));
	return schedules.map(({ title }) => title);
}

verifiesOn(
	"ozzie",
	["schedule.create", "schedule.fire"],
	"a schedule is created, triggers a run at its due time, and the answer names it",
	async () => {
		const clock = new ManualClock(Date.UTC(2026, 0, 1, 7, 59, 59));
		await using gateway = await TestGateway.start({ clock });
		await using client = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		const requested = { title: "Standup", prompt: "say: good morning", time_zone: "Europe/Berlin" };
		const scheduled = await client.call("schedule_task", {
			...requested,
			when: "every day at 9:00",
			show: "silent",
		});
		const trigger = {
			when: "cron 0 9 * * * (Europe/Berlin)",
			cron_spec: "0 9 * * *",
			time_zone: "Europe/Berlin",
		};
		expect(scheduled).toEqual({
			...{
				entry_id: expect.stringMatching(/^sched_/),
				title: "Standup",
				prompt: requested.prompt,
				...trigger,
			},
			...{ show: "silent", session_id: session, owner: "operator", taint: "", firings: 0 },
			...{ created_at: expect.any(String), next_due: "2026-01-01T08:00:00.000Z" },
		});
		const { entry_id } = scheduled;
		const { payload: created } = await client.event("schedule.created");
		expect(created).toEqual({
			...{ entry_id, title: "Standup", source: "dynamic", ...trigger, show: "silent", owner: "operator" },
			next_due: "2026-01-01T08:00:00.000Z",
		});
		clock.advance(1_000);
		const origin = {
			entry_id,
			title: "Standup",
			show: "silent",
			due_at: "2026-01-01T08:00:00.000Z",
			late: false,
		};
		const { payload: fired } = await client.event("schedule.trigger");
		const run_id = expect.stringMatching(/^run_/);
		expect(fired).toEqual({ ...origin, trigger: "cron", skill_name: "", task_id: "", run_id, error: "" });
		const { payload: userMessage } = await client.event("user.message");
		expect(userMessage).toEqual({ content: requested.prompt, run_id: fired["run_id"], origin });
		const { payload: answer } = await client.event("assistant.message");
		expect(answer).toMatchObject({ run_id: fired["run_id"], origin, error: "" });
		const after = { firings: 1, last_run_id: fired["run_id"], last_due: "2026-01-01T08:00:00.000Z" };
		const listed = List.parse(await client.call("list_schedules"));
		expect(listed.schedules).toEqual([
			expect.objectContaining({ ...after, next_due: "2026-01-02T08:00:00.000Z" }),
		]);
	},
);

verifiesOn(
	"ozzie",
	["schedule.create", "schedule.errors"],
	"the time of a schedule is words, cron, an interval, a time or an event, and exactly one of them",
	async () => {
		await using gateway = await TestGateway.start({ clock: new ManualClock() });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const make = (params: object) => client.call("schedule_task", { prompt: "p", ...params });
		const refused = (params: object) => client.refusal("schedule_task", { prompt: "p", ...params });
		expect(await make({ cron: "0 9 * * 1-5", time_zone: "Asia/Tokyo" })).toMatchObject({
			cron_spec: "0 9 * * 1-5",
			next_due: "2026-01-02T00:00:00.000Z",
		});
		expect(await make({ interval_sec: 7200 })).toMatchObject({ interval_sec: 7200, when: "every 2 hours" });
		const at = "2026-03-01T09:00:00.000Z";
		expect(await make({ at: "2026-03-01T10:00:00+01:00" })).toMatchObject({ at, next_due: at });
		const onEvent = await make({ event: "task.failed", external_key: "ops" });
		expect(onEvent).toMatchObject({
			event: "task.failed",
			external_key: "ops",
			session_id: expect.any(String),
		});
		expect(onEvent).not.toHaveProperty("next_due");
		const repeated = { when: "every hour", external_key: "ops", key: "k" };
		const created = await make(repeated);
		expect(created["session_id"]).toBe(onEvent["session_id"]);
		expect(await make(repeated)).toEqual(created);
		expect(await refused({})).toContain("0 of when, cron, interval_sec, at and event are given");
		expect(await refused({ when: "every hour", event: "task.failed" })).toContain("give exactly one");
		expect(await refused({ interval_sec: 30 })).toBe(
			"invalid params: interval: 30 seconds is not allowed: use 60 seconds to 366 days",
		);
		expect(await refused({ at: "2025-01-01T00:00:00Z" })).toContain(
			"2025-01-01T00:00:00.000Z is in the past",
		);
		expect(await refused({ cron: "0 9 * *" })).toContain('cron: "0 9 * *" is not valid');
		expect(await refused({ when: "soon" })).toContain('when: "soon" is not understood');
		expect(await refused({ event: "tool.call" })).toContain('event: "tool.call" cannot start a schedule');
		expect(await refused({ when: "every hour", show: "loud" })).toBe(
			"invalid params: show: must be one of thread, post, silent",
		);
		expect(await refused({ when: "every hour", session_id: "sess_x" })).toContain("session not found");
		expect(await refused({ when: "every hour", prompt: " " })).toBe(
			"invalid params: prompt: must not be blank",
		);
	},
);

verifiesOn(
	"ozzie",
	["schedule.own"],
	"people list and remove their own schedules, and the operator lists and removes all",
	async () => {
		await using place = await discordConnector({ ann: "member", bob: "member", cy: "guest" });
		const { operator, connector } = place;
		const ann = as("ann");
		await connector.call("open_session", { external_key: "discord:111:general", ...ann });
		const requested = { prompt: "report", when: "every hour", external_key: "discord:111:general" };
		const created = await connector.call("schedule_task", { ...requested, title: "Ann's", ...ann });
		expect(created).toMatchObject({ owner: "discord:111:ann", taint: "U" });
		await connector.call("schedule_task", { ...requested, title: "Bob's", ...as("bob") });
		expect(await connector.refusal("schedule_task", { ...requested, ...as("cy") })).toMatch(/^forbidden: /);
		expect(await connector.refusal("schedule_task", requested)).toMatch(/^forbidden: /);
		expect(await titles(connector, ann)).toEqual(["Ann's"]);
		expect(await titles(connector, as("cy"))).toEqual([]);
		expect((await titles(operator)).toSorted()).toEqual(["Ann's", "Bob's"]);
		const { entry_id } = created;
		const missing = await connector.refusal("unschedule_task", { entry_id, ...as("bob") });
		expect(missing).toContain("Schedule not found");
		const removed = await connector.call("unschedule_task", { entry_id, ...ann });
		expect(removed).toEqual({ status: "removed", entry_id, title: "Ann's" });
		const { payload } = await connector.event("schedule.removed");
		expect(payload).toEqual({ entry_id, title: "Ann's", reason: "removed", by: "discord:111:ann" });
		const [remaining] = List.parse(await operator.call("list_schedules")).schedules;
		await operator.call("unschedule_task", { entry_id: remaining?.entry_id });
		expect(await titles(operator)).toEqual([]);
	},
);

verifiesOn(
	"ozzie",
	["schedule.confirmed"],
	"a connector confirms the rights of a person before each firing, and without that the due time waits",
	async () => {
		const clock = new ManualClock(Date.UTC(2026, 0, 1, 7, 59, 59));
		await using place = await discordConnector({ ann: "member" }, { clock });
		const { connector, operator } = place;
		const requested = { prompt: "say: on time", when: "every day at 8:00", time_zone: "UTC" };
		const target = { external_key: "discord:111:general", ...as("ann") };
		const { session_id } = await connector.call("schedule_task", { ...requested, ...target });
		const listed = async () => List.parse(await operator.call("list_schedules")).schedules[0];
		clock.advance(1_000);
		const check = await connector.event("person.check");
		expect(check).toEqual({
			...{ type: "event", event: "person.check", session_id, seq: 0, transient: true },
			payload: {
				check_id: expect.stringMatching(/^check_/),
				...{ user: "ann", place: { tenant: "111", channel: "general", shared: false } },
			},
		});
		const reportOf = (requested: typeof check) => {
			return {
				check_id: requested.payload["check_id"],
				present: true,
				roles: [],
				guest: false,
				shared: false,
			};
		};
		expect(await operator.refusal("report_person", reportOf(check))).toMatch(/^forbidden: /);
		clock.advance(10_000);
		await expect
			.poll(listed)
			.toMatchObject({ firings: 0, problem: expect.stringContaining("is not connected, or cannot confirm") });
		expect(await connector.call("report_person", reportOf(check))).toEqual({ status: "late" });
		await using another = await place.connect(place.token);
		clock.advance(0);
		const secondCheck = await another.event("person.check");
		expect(await another.call("report_person", reportOf(secondCheck))).toEqual({ status: "taken" });
		expect(await connector.call("report_person", reportOf(secondCheck))).toEqual({ status: "late" });
		await expect.poll(listed).toMatchObject({ firings: 1 });
		expect(await listed()).not.toHaveProperty("problem");
	},
);

verifiesOn(
	"ozzie",
	["schedule.confirmed"],
	"no schedule of a person fires after the token of the connector was revoked, until a token with its name exists",
	async () => {
		const clock = new ManualClock(Date.UTC(2026, 0, 1, 7, 59, 59));
		await using place = await discordConnector({ ann: "member" }, { clock });
		const { connector, operator } = place;
		const requested = { prompt: "say: on time", when: "every day at 8:00", time_zone: "UTC" };
		await connector.call("schedule_task", {
			...requested,
			external_key: "discord:111:general",
			...as("ann"),
		});
		const listed = async () => List.parse(await operator.call("list_schedules")).schedules[0];
		await operator.call("revoke_token", { token_id: "discord" });
		expect(await connector.closed).toMatchObject({ code: 4001 });
		clock.advance(1_000);
		await expect.poll(listed).toMatchObject({
			...{ firings: 0, next_due: "2026-01-01T08:00:00.000Z" },
			problem: expect.stringContaining("connector:discord is not connected"),
		});
		const tokenRequest = { kind: "connector", name: "discord", platform: "discord", tenants: ["111"] };
		const { token } = await operator.call("create_token", tokenRequest);
		await using another = await place.connect(String(token));
		clock.advance(0);
		const { payload } = await another.event("person.check");
		const report = { check_id: payload["check_id"], present: true, roles: [], guest: false, shared: false };
		expect(await another.call("report_person", report)).toEqual({ status: "taken" });
		await expect.poll(listed).toMatchObject({ firings: 1 });
	},
);
