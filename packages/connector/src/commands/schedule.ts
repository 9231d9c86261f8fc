import { defined } from "@parley/base";
import type { SchedulePayload } from "@parley/protocol";
import { plainLine } from "../conversation/vocabulary/plain.ts";
import { isOnce, plainWithTimes } from "../conversation/vocabulary/with-times.ts";
import { plainWithPeople } from "../conversation/vocabulary/without-ids.ts";
import type { Room } from "../platform/inbound-event.ts";
import type { HandlerContext } from "../rooms/handler-context.ts";
import { scheduleTexts } from "../texts/schedules.ts";
import type { Command, Completing, Suggestion } from "./command.ts";
import { type Named, removeNamed } from "./find-named.ts";
import { isPublic, maxSuggestions, textOf } from "./options.ts";

const maxListed = 20;
/**
 * Maximum number of schedules in one request. This number exceeds the gateway's limit per person, so one request
 * returns all schedules of a person.
 */
const maxOfOwner = 100;

const add: Command = {
	name: "schedule add",
	description: scheduleTexts.add.description,
	options: [
		{
			name: "text",
			type: "string",
			required: true,
			max: 4000,
			description: scheduleTexts.add.text,
		},
		{
			name: "when",
			type: "string",
			required: true,
			max: 200,
			description: scheduleTexts.add.when,
		},
		{
			name: "show",
			type: "string",
			required: false,
			description: scheduleTexts.add.show,
			choices: Object.entries(scheduleTexts.add.shows).map(([value, label]) => ({ value, label })),
		},
		{
			name: "zone",
			type: "string",
			required: false,
			max: 100,
			description: scheduleTexts.add.zone,
		},
		{ name: "title", description: scheduleTexts.add.title, type: "string", required: false, max: 200 },
	],
	async run(context, { event: { person, room, options }, key }) {
		const { session } = await context.sessionOf(person, room, key);
		const [zone, title, show] = [textOf(options["zone"]), textOf(options["title"]), showOf(options["show"])];
		const schedule = await context.gateway.request(
			"schedule_task",
			{
				prompt: textOf(options["text"]),
				when: textOf(options["when"]),
				key: `${key}/schedule`,
				...defined({
					time_zone: zone || undefined,
					title: title || undefined,
					show,
				}),
				...context.onBehalf(person, room),
			},
			{ sessionId: session },
		);
		return { text: scheduleTexts.add.done({ schedule: `- ${lineOf(schedule, context)}` }) };
	},
};

const list: Command = {
	name: "schedule list",
	also: "schedules",
	description: scheduleTexts.list.description,
	options: [],
	async run(context, handled) {
		const { gateway, platform, onBehalf } = context;
		const { person, room } = handled.event;
		const isPosted = isPublic(handled);
		const params = { limit: isPosted ? maxOfOwner : maxListed, ...onBehalf(person, room) };
		const { schedules: found } = await gateway.request("list_schedules", params);
		const { list: texts } = scheduleTexts;
		if (found.length === 0) return { text: texts.none({ command: platform.command("schedule add", room) }) };
		const shown = isPosted ? await ofChannel(context, room, found) : found;
		const listed = shown.slice(0, maxListed);
		const ids = listed.map(({ entry_id }) => entry_id);
		context.lists.show("schedule", handled.event, { ids, isPublic: isPosted });
		const lines = listed.map((schedule, index) => `${index + 1}. ${lineOf(schedule, context)}`);
		const parts = [
			lines.join("\n"),
			shown.length < found.length && texts.hidden({ command: platform.command("schedule list", room) }),
			shown.length > 0 && texts.howToRemove({ command: platform.command("schedule remove", room) }),
		].filter((part) => part !== "" && part !== false);
		return { text: parts.join("\n\n") };
	},
};

const remove: Command = {
	name: "schedule remove",
	description: scheduleTexts.remove.description,
	options: [
		{
			name: "id",
			type: "string",
			required: true,
			completes: true,
			min: 1,
			max: 128,
			description: scheduleTexts.remove.id,
		},
	],
	async run(context, handled) {
		const { gateway, onBehalf, platform } = context;
		const { event, key } = handled;
		const { person, room, options } = event;
		const behalf = onBehalf(person, room);
		const all = async (): Promise<Named[]> => {
			const { schedules } = await gateway.request("list_schedules", { limit: maxOfOwner, ...behalf });
			return schedules.map(({ entry_id: id, title }) => ({ id, title }));
		};
		const remove = async (entry_id: string): Promise<string> =>
			(await gateway.request("unschedule_task", { entry_id, key, ...behalf })).title;
		const requested = { kind: "schedule", typed: textOf(options["id"]) } as const;
		const list = platform.command("schedule list", room);
		const title = await removeNamed(context, handled, { ...requested, list, all, remove, done: "" });
		// A public answer omits the title, because the schedule may belong to another channel.
		const { done, doneNamed } = scheduleTexts.remove;
		return { text: isPublic(handled) || title === "" ? done : doneNamed({ title: plainLine(title, 200) }) };
	},
	complete: suggest,
};

export const scheduleCommands: readonly Command[] = [add, list, remove];

async function suggest(
	{ gateway, onBehalf }: HandlerContext,
	{ typed, person, room }: Completing,
): Promise<Suggestion[]> {
	const { schedules } = await gateway.request("list_schedules", { limit: 100, ...onBehalf(person, room) });
	const requested = typed.trim().toLowerCase();
	return schedules
		.filter(({ entry_id, title }) => `${entry_id} ${title}`.toLowerCase().includes(requested))
		.slice(0, maxSuggestions)
		.map(({ entry_id, title, when }) => ({ value: entry_id, label: plainLine(`${title} · ${when}`, 90) }));
}

async function ofChannel(
	context: HandlerContext,
	{ tenant, channel, thread }: Room,
	schedules: readonly SchedulePayload[],
): Promise<readonly SchedulePayload[]> {
	const rooms = await Promise.all(schedules.map(({ session_id }) => context.roomOf(session_id)));
	return schedules.filter((_schedule, index) => {
		const target = rooms[index];
		const isHere = target?.tenant === tenant && target.channel === channel;
		// All readers of a thread can read its channel, so a thread includes the schedules of the channel.
		return isHere && (target.thread === undefined || target.thread === thread);
	});
}

function showOf(option: string | number | boolean | undefined): "post" | "thread" | "silent" | undefined {
	return option === "post" || option === "thread" || option === "silent" ? option : undefined;
}

function lineOf(
	{ title, when, next_due, problem }: SchedulePayload,
	{ platform, clock }: HandlerContext,
): string {
	const { list: texts } = scheduleTexts;
	const now = clock.now();
	const isShown = next_due !== undefined && !isOnce(when);
	const next = isShown ? texts.next({ at: platform.moment(Date.parse(next_due), now) }) : "";
	const words = plainWithTimes(when, 200, { platform, from: now });
	const why =
		problem === undefined ? "" : texts.problem({ problem: plainWithPeople(problem, 300, platform) });
	return `**${plainLine(title, 150)}**: ${words}${next}${why}`;
}
