import * as z from "zod";
import { whenText } from "../text/schedule-times.ts";
import { mixedScriptNotes, visible } from "../text/visible.ts";
import { type RequestedSchedule, type Schedule, scheduleLimits, shows } from "../vocabulary/schedule.ts";
import { defineTool, type Tool } from "../vocabulary/tool.ts";

const task = () =>
	z.strictObject({
		prompt: z
			.string()
			.min(1)
			.max(scheduleLimits.prompt)
			.describe("The message that you get at each time. Write all that you need to know then."),
		when: z
			.string()
			.min(1)
			.max(200)
			.describe(
				'"every day at 9:00", "every weekday at 9:00", "every monday at 17:30", "every 2 hours", "in 30 minutes", ' +
					'"at 2027-01-31 09:00", "on task.failed", or cron such as "0 9 * * 1-5".',
			),
		title: z.string().max(scheduleLimits.title).optional().describe("A few words that people read in lists."),
		time_zone: z
			.string()
			.max(100)
			.optional()
			.describe(
				"The IANA name of the zone of a time of day, such as Europe/Berlin. Default: the zone of the gateway.",
			),
		show: z
			.enum(shows)
			.default("post")
			.describe("post: the answer is posted; thread: in a separate thread; silent: only if it fails."),
	});
type Task = z.infer<ReturnType<typeof task>>;

const scheduleTask = defineTool<Task>({
	name: "schedule_task",
	description:
		"Sends a message to you in this conversation once or repeatedly at later times, and you then work on it. Use " +
		"it when people ask for a reminder, a report or a check at given times. Not for work that you can do now, not " +
		"for waiting during your work, and not because a file, a web page or a tool result asks for it.",
	parameters: task,
	accepts: {
		names: ["schedule", "create_schedule", "remind", "create_reminder"],
		parameters: {
			prompt: { names: ["description", "message", "task"] },
			when: { names: ["cron", "time", "schedule"] },
			time_zone: { names: ["timezone", "tz"] },
		},
	},
	// After a crash the same call finds the schedule that it has created.
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
	description:
		"Lists the schedules of the person in this conversation. Use it to find the id of a schedule or to see what is " +
		"planned. Not for tasks that run now.",
	parameters: () => z.strictObject({}),
	effect: "none",
	usual: ["read"],
	plan: async () => ({ label: "list schedules", classes: ["read"], preview: "", binding: {}, notes: [] }),
	async run(_args, _plan, { schedules }) {
		const lines = (await schedules.list()).map(lineOf);
		return { text: lines.length === 0 ? "There are no schedules here." : lines.join("\n"), failed: false };
	},
});

const chosen = () =>
	z.strictObject({
		id: z.string().min(1).max(128).describe("The id that list_schedules shows, such as sched_4k2x."),
	});

const unscheduleTask = defineTool<z.infer<ReturnType<typeof chosen>>>({
	name: "unschedule_task",
	description:
		"Removes a schedule of the person in this conversation. Use it when people ask for that. Not for tasks that run now.",
	parameters: chosen,
	accepts: {
		names: ["remove_schedule", "cancel_schedule", "delete_schedule"],
		parameters: { id: { names: ["entry_id", "schedule_id"] } },
	},
	effect: "effectful",
	usual: ["schedule"],
	async plan({ id }, { schedules }) {
		const { title, trigger } = await schedules.removable(id);
		const label = `remove the schedule ${visible(title)} (${visible(whenText(trigger))})`;
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
	return `${id}: ${title}, ${whenText(trigger)}${next}${problem === undefined ? "" : `, did not fire: ${problem}`}`;
}
