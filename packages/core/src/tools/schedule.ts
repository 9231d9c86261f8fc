import * as z from "zod";
import { whenText } from "../text/schedule-times.ts";
import { mixedScriptNotes, visible } from "../text/visible.ts";
import { type RequestedSchedule, type Schedule, scheduleLimits, shows } from "../vocabulary/schedule.ts";
import { defineTool, type Tool } from "../vocabulary/tool.ts";
import { scheduleTexts } from "./texts.ts";

const task = () =>
	z.strictObject({
		prompt: z.string().min(1).max(scheduleLimits.prompt).describe(scheduleTexts.prompt),
		when: z.string().min(1).max(200).describe(scheduleTexts.when),
		title: z.string().max(scheduleLimits.title).optional().describe(scheduleTexts.title),
		time_zone: z.string().max(100).optional().describe(scheduleTexts.timeZone),
		show: z.enum(shows).default("post").describe(scheduleTexts.show),
	});
type Task = z.infer<ReturnType<typeof task>>;

const scheduleTask = defineTool<Task>({
	name: "schedule_task",
	description: scheduleTexts.create,
	parameters: task,
	accepts: {
		names: ["schedule", "create_schedule", "remind", "create_reminder"],
		parameters: {
			prompt: { names: ["description", "message", "task"] },
			when: { names: ["cron", "time", "schedule"] },
			time_zone: { names: ["timezone", "tz"] },
		},
	},
	// After a crash, the repeated call finds the schedule that the first call created.
	effect: "idempotent",
	usual: ["schedule"],
	async plan(args, { schedules }) {
		await schedules.check(requestedOf(args));
		const zone = args.time_zone === undefined ? "" : ` (${visible(args.time_zone)})`;
		return {
			label: `schedule ${visible(args.when)}${zone}: ${visible(args.prompt)}`,
			preview: "",
			binding: {},
			classes: ["schedule"],
			notes: mixedScriptNotes(args.prompt),
		};
	},
	async run(args, _plan, { schedules }) {
		return { text: `created ${lineOf(await schedules.create(requestedOf(args)))}`, failed: false };
	},
});

const listSchedules = defineTool<Record<string, never>>({
	name: "list_schedules",
	description: scheduleTexts.list,
	parameters: () => z.strictObject({}),
	effect: "none",
	usual: ["read"],
	plan: async () => ({
		label: scheduleTexts.listLabel,
		classes: ["read"],
		preview: "",
		binding: {},
		notes: [],
	}),
	async run(_args, _plan, { schedules }) {
		const lines = (await schedules.list()).map(lineOf);
		return { text: lines.length === 0 ? scheduleTexts.none : lines.join("\n"), failed: false };
	},
});

const chosen = () =>
	z.strictObject({
		id: z.string().min(1).max(128).describe(scheduleTexts.id),
	});

const unscheduleTask = defineTool<z.infer<ReturnType<typeof chosen>>>({
	name: "unschedule_task",
	description: scheduleTexts.remove,
	parameters: chosen,
	accepts: {
		names: ["remove_schedule", "cancel_schedule", "delete_schedule"],
		parameters: { id: { names: ["entry_id", "schedule_id"] } },
	},
	effect: "effectful",
	usual: ["schedule"],
	async plan({ id }, { schedules }) {
		const { title, trigger } = await schedules.removable(id);
		const label = scheduleTexts.removeLabel(visible(title), visible(whenText(trigger)));
		return { label, classes: ["schedule"], preview: "", binding: {}, notes: mixedScriptNotes(title) };
	},
	async run({ id }, _plan, { schedules }) {
		const { title } = await schedules.remove(id);
		return { text: `removed ${id}: ${title}`, failed: false };
	},
});

export const scheduleTools: readonly Tool[] = [scheduleTask, listSchedules, unscheduleTask];

function requestedOf({ prompt, title, show, when, time_zone: timeZone }: Task): RequestedSchedule {
	return { prompt, title, show, trigger: { kind: "words", when, timeZone } };
}

function lineOf({ id, title, trigger, nextDue, problem }: Schedule): string {
	const next = nextDue === undefined ? "" : `, next ${new Date(nextDue).toISOString()}`;
	return `${id}: ${title}, ${whenText(trigger)}${next}${problem === undefined ? "" : scheduleTexts.didNotFire(problem)}`;
}
