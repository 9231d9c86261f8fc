import { defined, definedItems, formatUsd } from "@parley/base";
import type { MethodResult, Requester, TaskPayload } from "@parley/protocol";
import { lengthOf } from "../conversation/tasks/length-of.ts";
import { reviewControls } from "../conversation/tasks/review-card.ts";
import { hasEnded } from "../conversation/tasks/task-state.ts";
import { barOf, because, tokensOf } from "../conversation/tasks/task-words.ts";
import { oneLine, plainLine } from "../conversation/vocabulary/plain.ts";
import type { PlatformWords } from "../platform/chat-platform.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { Control } from "../platform/posting.ts";
import { answerOf, answerTask } from "../presses/tasks.ts";
import type { HandledEvent, HandlerContext } from "../rooms/handler-context.ts";
import { taskCommandTexts, taskTexts } from "../texts/tasks.ts";
import type { Command, CommandOption, Completing, Suggestion } from "./command.ts";
import { findNamed, type Named } from "./find-named.ts";
import { isPublic, textOf } from "./options.ts";

const { states } = taskTexts;

const maxListed = 15;
const maxSuggested = 25;
const maxTitle = 80;

type Task = MethodResult<"check_task">;
type Handling = HandledEvent<"command">;

const idOption: CommandOption = {
	name: "id",
	type: "string",
	required: true,
	completes: true,
	max: 128,
	description: taskCommandTexts.id,
};

const create: Command = {
	name: "task new",
	description: taskCommandTexts.create.description,
	options: [
		{
			name: "text",
			description: taskCommandTexts.create.text,
			type: "string",
			required: true,
			max: 4000,
		},
		{
			name: "title",
			description: taskCommandTexts.create.title,
			type: "string",
			required: false,
			max: 200,
		},
		{
			name: "agent",
			description: taskCommandTexts.create.agent,
			type: "string",
			required: false,
			completes: true,
		},
		{
			name: "priority",
			description: taskCommandTexts.create.priority,
			type: "string",
			required: false,
			choices: ["low", "normal", "high"].map((value) => ({ value, label: value })),
		},
	],
	async run(context, { event: { person, room, options }, key, message }) {
		const description = textOf(options["text"]);
		const title = textOf(options["title"]) || oneLine(description, maxTitle);
		const agent = textOf(options["agent"]);
		const { session } = await context.sessionOf(person, room, key);
		const { notes = [] } = await context.gateway.request(
			"submit_task",
			{
				title,
				description,
				priority: priorityOf(options["priority"]),
				key: `${key}/task`,
				...defined({ agent: agent || undefined }),
				...context.onBehalf(person, room),
			},
			{ sessionId: session },
		);
		// The person did not choose tools, so notes about missing tools are omitted.
		const otherNotes = notes.filter((note) => !note.startsWith("tools:"));
		const lines = otherNotes.map((note) => `- ${plainLine(note, 300)}`);
		// The card already answers a command in a message, so a second post would repeat it.
		if (message !== undefined && lines.length === 0) return undefined;
		return {
			text: [taskCommandTexts.create.done({ title: plainLine(title, 150) }), ...lines].join("\n"),
		};
	},
	async complete({ gateway }, { option, typed }) {
		if (option !== "agent") return [];
		const { agents } = await gateway.request("list_agents", {});
		const requested = typed.trim().toLowerCase();
		return agents
			.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(requested))
			.slice(0, maxSuggested)
			.map(({ name, title }) => ({ value: name, label: title || name }));
	},
};

const list: Command = {
	name: "task list",
	also: "tasks",
	description: taskCommandTexts.list.description,
	options: [],
	async run(context, handled) {
		const { event } = handled;
		const tasks = await tasksHere(context, event);
		if (tasks.length === 0) {
			const command = context.platform.command("task new", event.room);
			return { text: taskCommandTexts.list.none({ command }) };
		}
		const shown = [...tasks.filter(isOpen), ...tasks.filter((task) => !isOpen(task))].slice(0, maxListed);
		const more = tasks.length - shown.length;
		context.lists.show("task", event, { ids: shown.map(({ id }) => id), isPublic: isPublic(handled) });
		const lines = shown.map((task, index) => `${index + 1}. ${taskLine(task, context.platform)}`);
		const foot = more > 0 ? taskCommandTexts.list.more({ count: more }) : undefined;
		return { text: definedItems([lines.join("\n"), foot]).join("\n\n") };
	},
};

const show: Command = {
	name: "task show",
	description: taskCommandTexts.show.description,
	options: [idOption],
	async run(context, handled) {
		const { person, room } = handled.event;
		const { id: task_id } = await taskOf(context, handled);
		const task = await context.gateway.request("check_task", { task_id, ...context.onBehalf(person, room) });
		return { text: taskReport(task, context.platform), controls: [controlsOf(task, context)] };
	},
	complete: suggest(() => true),
};

const cancel: Command = {
	name: "task cancel",
	description: taskCommandTexts.cancel.description,
	options: [
		idOption,
		{
			name: "reason",
			description: taskCommandTexts.cancel.reason,
			type: "string",
			required: false,
			max: 1000,
		},
	],
	async run(context, handled) {
		const { person, room, options } = handled.event;
		const found = await taskOf(context, handled);
		const reason = textOf(options["reason"]);
		const { status } = await context.gateway.request("cancel_task", {
			task_id: found.id,
			key: handled.key,
			...context.onBehalf(person, room),
			...defined({ reason: reason || undefined }),
		});
		const title = await titleOf(context, handled, found);
		const { done, tooLate } = taskCommandTexts.cancel;
		return { text: status === "cancelled" ? done({ title }) : tooLate({ title, state: states[status] }) };
	},
	complete: suggest(isOpen),
};

const reply: Command = {
	name: "task reply",
	description: taskCommandTexts.reply.description,
	options: [
		idOption,
		{
			name: "text",
			type: "string",
			required: true,
			max: 4000,
			description: taskCommandTexts.reply.text,
		},
	],
	async run(context, handled) {
		const { person, room, options } = handled.event;
		const found = await taskOf(context, handled);
		const answer = answerOf(textOf(options["text"]));
		const author = { person, room, key: handled.key };
		const explained = await answerTask(context, author, { task: found.id, ...answer });
		if (explained) return explained;
		const title = await titleOf(context, handled, found);
		return { text: taskCommandTexts.reply.done({ title, approved: answer.status === "approved" }) };
	},
	complete: suggest(({ status }) => status === "suspended"),
};

export const taskCommands: readonly Command[] = [create, list, show, cancel, reply];

function taskOf(context: HandlerContext, handled: Handling): Promise<Named> {
	const { event } = handled;
	return findNamed(context, handled, {
		kind: "task",
		typed: textOf(event.options["id"]),
		list: context.platform.command("task list", event.room),
		all: () => tasksHere(context, event),
	});
}

async function titleOf(context: HandlerContext, { event }: Handling, { id, title }: Named): Promise<string> {
	const behalf = context.onBehalf(event.person, event.room);
	const known = title || (await context.gateway.request("check_task", { task_id: id, ...behalf })).title;
	return plainLine(known, 150);
}

function suggest(fits: (task: Task) => boolean) {
	return async (context: HandlerContext, { typed, person, room }: Completing): Promise<Suggestion[]> => {
		const tasks = await tasksHere(context, { person, room });
		return tasks
			.filter((task) => fits(task) && mayMean(task, typed))
			.slice(0, maxSuggested)
			.map(({ id, title, status }) => ({
				value: id,
				label: `${oneLine(title, 70)} · ${states[status]}`,
			}));
	};
}

function isOpen({ status }: Task): boolean {
	return !hasEnded(status);
}

function controlsOf(
	{ id, status, suspension, session_id: session }: Task,
	{ controls }: HandlerContext,
): Control[] {
	if (hasEnded(status)) {
		const retry = controls.write({ kind: "task-retry", session, subject: id });
		return [{ type: "button", id: retry, label: taskTexts.buttons.retry, style: "primary" }];
	}
	const token = suspension?.token;
	const end = controls.write({ kind: "task-cancel", session, subject: id });
	return [
		...(token === undefined ? [] : reviewControls({ task: id, token }, { session, controls })),
		{ type: "button", id: end, label: taskTexts.buttons.cancel, style: "danger" },
	];
}

function priorityOf(option: string | number | boolean | undefined): "low" | "normal" | "high" {
	return option === "low" || option === "high" ? option : "normal";
}

type Platform = PlatformWords;

function taskLine(task: TaskPayload, { moment }: Platform): string {
	const { title, status, progress, created_at } = task;
	const bar = hasEnded(status) ? undefined : barOf(progress.current_step, progress.total_steps);
	const facts = definedItems([states[status], bar]).join(", ");
	return `**${plainLine(title, 80)}** · ${facts} · ${moment(Date.parse(created_at))}`;
}

function taskReport(task: TaskPayload, platform: Platform): string {
	const { request, result } = taskCommandTexts.show;
	return definedItems([
		`**${plainLine(task.title, 200)}**\n${statusLine(task, platform)}`,
		factsOf(task, platform),
		...planOf(task),
		...questionOf(task),
		task.description.trim() === "" ? undefined : `${request}\n\n${task.description.trim()}`,
		task.output.trim() === "" ? undefined : `${result}\n\n${task.output.trim()}`,
	]).join("\n\n");
}

function statusLine({ status, error, progress }: TaskPayload, platform: Platform): string {
	const bar = barOf(progress.current_step, progress.total_steps);
	const why = hasEnded(status) ? because({ why: error }, platform) : "";
	return `${states[status]}${why}${bar === undefined ? "" : `\n${bar}`}`;
}

function factsOf(task: TaskPayload, { moment }: Platform): string {
	const { usage, started_at, completed_at, created_at, agent, model } = task;
	const start = started_at === undefined ? undefined : Date.parse(started_at);
	const end = completed_at === undefined ? undefined : Date.parse(completed_at);
	const spent = tokensOf({ input: usage.tokens_input, output: usage.tokens_output });
	return definedItems([
		taskTexts.requested({ at: moment(Date.parse(created_at)) }),
		start !== undefined && end === undefined ? taskTexts.started({ at: moment(start) }) : undefined,
		start !== undefined && end !== undefined ? taskTexts.took({ time: lengthOf(end - start) }) : undefined,
		taskCommandTexts.show.agent({
			agent: plainLine(agent, 80),
			model: model === undefined ? undefined : plainLine(model, 80),
		}),
		`${spent}, ${formatUsd(usage.cost_usd)}`,
	]).join(" · ");
}

function planOf({ plan = [] }: TaskPayload): string[] {
	if (plan.length === 0) return [];
	const steps = plan.map(({ title, status }) => {
		const note = taskCommandTexts.show.stepNotes[status];
		return `- [${status === "completed" ? "x" : " "}] ${plainLine(title, 120)}${note}`;
	});
	return [`${taskCommandTexts.show.plan}\n${steps.join("\n")}`];
}

function questionOf({ suspension }: TaskPayload): string[] {
	if (!suspension) return [];
	const { reason, plan_content: plan } = suspension;
	return definedItems([
		taskTexts.review.waiting({ reason: plainLine(reason, 300) }),
		plan.trim() === "" ? undefined : plan.trim(),
	]);
}

const maxLooked = 100;

interface TaskContext {
	readonly gateway: Requester;
	readonly onBehalf: HandlerContext["onBehalf"];
}

async function tasksHere(
	{ gateway, onBehalf }: TaskContext,
	{ person, room }: { readonly person: Person; readonly room: Room },
): Promise<TaskPayload[]> {
	const params = { limit: maxLooked, ...onBehalf(person, room) };
	const { tasks } = await gateway.request("query_tasks", params);
	return tasks.filter(({ parent_id }) => parent_id === "");
}

function mayMean({ id, title }: TaskPayload, typed: string): boolean {
	const words = typed.trim().toLowerCase();
	return title.toLowerCase().includes(words) || id.endsWith(words);
}
