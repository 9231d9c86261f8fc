import { ParleyError } from "@parley/base";
import type { SchedulePayload } from "@parley/protocol";
import { expect, test } from "vitest";
import { commanded, scriptedContext } from "../testing/question-context.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";
import { scheduleCommands } from "./schedule.ts";

const schedule: SchedulePayload = {
	entry_id: "sched_aaaaaaaaaaaaaaaaaaaa000001",
	title: "Stand*up*",
	prompt: "report",
	when: "every 2 hours",
	interval_sec: 7200,
	show: "post",
	session_id: "sess_1",
	owner: "discord:1:42",
	taint: "U",
	firings: 0,
	created_at: "1970-01-01T00:00:10.000Z",
	next_due: "1970-01-01T02:00:10.000Z",
};

test.each<{
	name: string;
	command: string;
	options: Readonly<Record<string, string>>;
	answers: ScriptedAnswers;
	says: RegExp;
	asks: { readonly method: string; readonly params: object };
}>([
	{
		name: "a schedule is added",
		command: "schedule add",
		options: { text: "report", when: "every 2 hours", show: "thread", zone: "UTC" },
		answers: { schedule_task: () => schedule },
		says: /^Scheduled:\n- \*\*Stand.*every 2 hours, next /,
		asks: {
			method: "schedule_task",
			params: {
				prompt: "report",
				when: "every 2 hours",
				show: "thread",
				time_zone: "UTC",
				key: "key/schedule",
				actor: { id: "42" },
			},
		},
	},
	{
		name: "the schedules of a person are listed",
		command: "schedule list",
		options: {},
		answers: { list_schedules: () => ({ schedules: [{ ...schedule, problem: "no right" }] }) },
		says: /^1\. \*\*Stand.*did not run: no right\n\n`\S*schedule remove NUMBER` removes a schedule\.$/s,
		asks: { method: "list_schedules", params: { limit: 20, actor: { id: "42" } } },
	},
	{
		name: "a person without schedules reads how to add one",
		command: "schedule list",
		options: {},
		answers: { list_schedules: () => ({ schedules: [] }) },
		says: /^You have no schedules\. `\S*schedule add` adds one\.$/,
		asks: { method: "list_schedules", params: { limit: 20 } },
	},
	{
		name: "a schedule is removed by its title",
		command: "schedule remove",
		options: { id: "stand*up*" },
		answers: {
			list_schedules: () => ({ schedules: [schedule] }),
			unschedule_task: ({ entry_id }) => ({ status: "removed", entry_id, title: "Standup" }),
		},
		says: /^Removed: Standup$/,
		asks: { method: "unschedule_task", params: { entry_id: "sched_aaaaaaaaaaaaaaaaaaaa000001" } },
	},
	{
		name: "a schedule is removed",
		command: "schedule remove",
		options: { id: "sched_aaaaaaaaaaaaaaaaaaaa000001" },
		answers: {
			unschedule_task: () => ({
				status: "removed",
				entry_id: "sched_aaaaaaaaaaaaaaaaaaaa000001",
				title: "Standup",
			}),
		},
		says: /^Removed: Standup$/,
		asks: {
			method: "unschedule_task",
			params: { entry_id: "sched_aaaaaaaaaaaaaaaaaaaa000001", key: "key", actor: { id: "42" } },
		},
	},
])("$name", async ({ command, options, answers, says, asks }) => {
	const { context, gateway } = scriptedContext(answers);
	const run = scheduleCommands.find(({ name }) => name === command);
	const { text } = (await run?.run(context, commanded(command, options))) ?? {};
	expect(text).toMatch(says);
	expect(gateway.requests.at(-1)).toMatchObject(asks);
});

test("the id of a schedule is completed from its title", async () => {
	const { context } = scriptedContext({ list_schedules: () => ({ schedules: [schedule] }) });
	const remove = scheduleCommands.find(({ name }) => name === "schedule remove");
	const { person, room } = commanded("schedule remove").event;
	const typing = { option: "id", options: {}, person, room };
	expect(await remove?.complete?.(context, { ...typing, typed: "stand" })).toMatchObject([
		{ value: "sched_aaaaaaaaaaaaaaaaaaaa000001" },
	]);
	expect(await remove?.complete?.(context, { ...typing, typed: "zebra" })).toEqual([]);
});

test("a command in a channel shows no schedule of another channel", async () => {
	const elsewhere = {
		...schedule,
		entry_id: "sched_aaaaaaaaaaaaaaaaaaaa000002",
		title: "Salaries",
		session_id: "sess_2",
	};
	const written = (command: string, options: Readonly<Record<string, string>> = {}) => ({
		...commanded(command, options),
		message: "m1",
	});
	const runOf = (name: string) => scheduleCommands.find((command) => command.name === name)?.run;
	for (const [schedules, says] of [
		[[elsewhere], /^Schedules of other channels are not shown here\. `\S*schedule list` shows/],
		[[elsewhere, schedule], /^1\. \*\*Stand.*Schedules of other channels .*schedule remove NUMBER` removes/s],
		[[schedule], /^1\. \*\*Stand.*\n\n`\S*schedule remove NUMBER` removes a schedule\.$/s],
	] as const) {
		const { context } = scriptedContext({ list_schedules: () => ({ schedules: [...schedules] }) });
		const { text } = (await runOf("schedule list")?.(context, written("schedule list"))) ?? {};
		expect(text).toMatch(says);
		expect(text).not.toContain("Salaries");
	}
	const removed = {
		status: "removed" as const,
		entry_id: "sched_aaaaaaaaaaaaaaaaaaaa000002",
		title: "Salaries",
	};
	const { context } = scriptedContext({ unschedule_task: () => removed });
	const remove = written("schedule remove", { id: "sched_aaaaaaaaaaaaaaaaaaaa000002" });
	expect(await runOf("schedule remove")?.(context, remove)).toEqual({ text: "Removed." });
});

test.each([
	{ name: "a thread shows the schedules of its channel", written: { thread: "7" }, target: {}, shown: true },
	{
		name: "a thread shows its own schedules",
		written: { thread: "7" },
		target: { thread: "7" },
		shown: true,
	},
	{
		name: "a thread shows none of another thread",
		written: { thread: "7" },
		target: { thread: "8" },
		shown: false,
	},
	{
		name: "a channel shows none of a thread, which may be private",
		written: {},
		target: { thread: "7" },
		shown: false,
	},
	{ name: "a channel shows none of another channel", written: {}, target: { channel: "3" }, shown: false },
	{ name: "a channel shows none of another tenant", written: {}, target: { tenant: "2" }, shown: false },
])("$name", async ({ written, target, shown }) => {
	const { context } = scriptedContext({ list_schedules: () => ({ schedules: [schedule] }) });
	const { event, key } = commanded("schedule list");
	const list = scheduleCommands.find(({ name }) => name === "schedule list");
	const { room } = event;
	const { text } =
		(await list?.run(
			{ ...context, roomOf: async () => ({ ...room, ...target }) },
			{ event: { ...event, room: { ...room, ...written } }, key, message: "m1" },
		)) ?? {};
	expect(text?.includes("Stand")).toBe(shown);
});

test("a schedule is removed by its number in the list, and an unknown number is explained", async () => {
	const { context, gateway } = scriptedContext({
		list_schedules: () => ({ schedules: [schedule] }),
		unschedule_task: ({ entry_id }) => {
			if (entry_id !== schedule.entry_id)
				throw new ParleyError(`not available: Schedule not found: "${entry_id}"`, { code: "unimplemented" });
			return { status: "removed", entry_id, title: "Standup" };
		},
	});
	const runOf = (name: string) => scheduleCommands.find((command) => command.name === name)?.run;
	const remove = () => runOf("schedule remove")?.(context, commanded("schedule remove", { id: "1" }));
	await expect(remove()).rejects.toThrow("there is no schedule “1” here: use a title or a number from");
	await runOf("schedule list")?.(context, commanded("schedule list"));
	expect(await remove()).toEqual({ text: "Removed: Standup" });
	expect(gateway.requests.at(-1)).toMatchObject({ params: { entry_id: schedule.entry_id } });
});
