import type { SchedulePayload } from "@parley/protocol";
import { plain } from "../conversation/tasks/plain.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Desk } from "../rooms/desk.ts";
import type { Command, Completing, Suggestion } from "./command.ts";
import { mostSuggestions, textOf } from "./options.ts";

const mostListed = 20;

const add: Command = {
	name: "schedule add",
	description: "Send me a message at given times",
	options: [
		{
			...{ name: "text", type: "string", required: true, max: 4000 },
			description: "What I get each time",
		},
		{
			...{ name: "when", type: "string", required: true, max: 200 },
			description: "every weekday at 9:00, every 2 hours, in 30 minutes, on task.failed, or cron",
		},
		{
			...{ name: "show", type: "string", required: false },
			description: "How I show the answer",
			choices: [
				{ value: "post", label: "as a post" },
				{ value: "thread", label: "in a thread" },
				{ value: "silent", label: "only if it fails" },
			],
		},
		{
			...{ name: "zone", type: "string", required: false, max: 100 },
			description: "Time zone, such as Europe/Berlin",
		},
		{ name: "title", description: "A short name", type: "string", required: false, max: 200 },
	],
	async run(desk, { arrival: { person, room, options }, key }) {
		const { session } = await desk.sessionOf(person, room, key);
		const [zone, title, show] = [textOf(options["zone"]), textOf(options["title"]), showOf(options["show"])];
		const made = await desk.gateway.request(
			"schedule_task",
			{
				...{ prompt: textOf(options["text"]), when: textOf(options["when"]), key: `${key}/schedule` },
				...(zone !== "" && { time_zone: zone }),
				...(title !== "" && { title }),
				...(show !== undefined && { show }),
				...desk.onBehalf(person, room),
			},
			{ sessionId: session },
		);
		return { text: `Scheduled:\n${lineOf(made, desk.platform)}` };
	},
};

const list: Command = {
	name: "schedule list",
	also: "schedules",
	description: "Show your schedules",
	options: [],
	async run({ gateway, platform, onBehalf }, { arrival: { person, room } }) {
		const asked = { limit: mostListed, ...onBehalf(person, room) };
		const { schedules } = await gateway.request("list_schedules", asked);
		if (schedules.length === 0) {
			return { text: `You have no schedules. \`${platform.command("schedule add", room)}\` adds one.` };
		}
		const remove = platform.command("schedule remove", room);
		const lines = schedules.map((schedule) => lineOf(schedule, platform));
		return { text: `${lines.join("\n")}\n\n\`${remove} ID\` removes a schedule.` };
	},
};

const remove: Command = {
	name: "schedule remove",
	description: "Remove one of your schedules",
	options: [
		{
			...{ name: "id", type: "string", required: true, completes: true, min: 1, max: 128 },
			description: "The id that the list shows",
		},
	],
	async run({ gateway, onBehalf }, { arrival: { person, room, options }, key }) {
		const { title } = await gateway.request("unschedule_task", {
			...{ entry_id: textOf(options["id"]), key, ...onBehalf(person, room) },
		});
		return { text: `Removed: ${plain(title, 200)}` };
	},
	complete: suggest,
};

/** Messages at given times, by command. */
export const scheduleCommands: readonly Command[] = [add, list, remove];

async function suggest(
	{ gateway, onBehalf }: Desk,
	{ typed, person, room }: Completing,
): Promise<Suggestion[]> {
	const { schedules } = await gateway.request("list_schedules", { limit: 100, ...onBehalf(person, room) });
	const wanted = typed.trim().toLowerCase();
	return schedules
		.filter(({ entry_id, title }) => `${entry_id} ${title}`.toLowerCase().includes(wanted))
		.slice(0, mostSuggestions)
		.map(({ entry_id, title, when }) => ({ value: entry_id, label: plain(`${title} · ${when}`, 90) }));
}

function showOf(option: string | number | boolean | undefined): "post" | "thread" | "silent" | undefined {
	return option === "post" || option === "thread" || option === "silent" ? option : undefined;
}

function lineOf(
	{ entry_id, title, when, next_due, problem }: SchedulePayload,
	{ moment }: Pick<ChatPlatform, "moment">,
): string {
	const next = next_due === undefined ? "" : `, next ${moment(Date.parse(next_due), "relative")}`;
	const why = problem === undefined ? "" : `\n  did not run: ${plain(problem, 300)}`;
	return `- \`${entry_id}\` **${plain(title, 150)}**: ${plain(when, 200)}${next}${why}`;
}
