import type { MethodResult } from "@parley/protocol";
import { answerOf, answerTask } from "../controls/reply-to-task.ts";
import { oneLine, plain } from "../conversation/tasks/plain.ts";
import { reviewControls } from "../conversation/tasks/review-card.ts";
import { hasEnded, shortId } from "../conversation/tasks/task-state.ts";
import { stateWords } from "../conversation/tasks/task-words.ts";
import type { Control } from "../platform/posting.ts";
import type { Desk, Handled } from "../rooms/desk.ts";
import type { Command, CommandOption, Completing, Suggestion } from "./command.ts";
import { taskLine, taskReport } from "./task/describe-task.ts";
import { findTask, mayMean, tasksHere } from "./task/find-task.ts";

const mostListed = 15;
const mostSuggested = 25;
const mostTitle = 80;

type Task = MethodResult<"check_task">;
type Handling = Handled<"command">;

const idOption: CommandOption = {
	...{ name: "id", type: "string", required: true, completes: true, max: 128 },
	description: "Which one: the end of its id is enough",
};

const create: Command = {
	name: "task new",
	description: "Submit work that goes on in the background",
	options: [
		{ name: "text", description: "What is to be done", type: "string", required: true, max: 4000 },
		{ name: "title", description: "What it is called", type: "string", required: false, max: 200 },
		{ name: "agent", description: "Who works on it", type: "string", required: false, completes: true },
		{
			...{ name: "priority", description: "How soon it is its turn", type: "string", required: false },
			choices: ["low", "normal", "high"].map((value) => ({ value, label: value })),
		},
	],
	async run(desk, { arrival: { person, room, options }, key }) {
		const description = textOf(options["text"]);
		const title = textOf(options["title"]) || oneLine(description, mostTitle);
		const agent = textOf(options["agent"]);
		const { session } = await desk.sessionOf(person, room, key);
		const { notes = [] } = await desk.gateway.request(
			"submit_task",
			{
				...{ title, description, priority: priorityOf(options["priority"]), key: `${key}/task` },
				...(agent !== "" && { agent }),
				...desk.onBehalf(person, room),
			},
			{ sessionId: session },
		);
		// Nobody has chosen tools here: of those that are missing nobody here knows anything.
		const theirs = notes.filter((note) => !note.startsWith("tools:"));
		const lines = theirs.map((note) => `- ${plain(note, 300)}`);
		return {
			text: [`**${plain(title, 150)}** is submitted: its card shows how far it is.`, ...lines].join("\n"),
		};
	},
	async complete({ gateway }, { option, typed }) {
		if (option !== "agent") return [];
		const { agents } = await gateway.request("list_agents", {});
		const wanted = typed.trim().toLowerCase();
		return agents
			.filter(({ name, title }) => `${name} ${title}`.toLowerCase().includes(wanted))
			.slice(0, mostSuggested)
			.map(({ name, title }) => ({ value: name, label: title || name }));
	},
};

const list: Command = {
	name: "task list",
	also: "tasks",
	description: "What is worked on in the background here, and what came of it",
	options: [],
	async run(desk, { arrival }) {
		const tasks = await tasksHere(desk, arrival);
		if (tasks.length === 0) {
			const submit = desk.platform.command("task new", arrival.room);
			return { text: `There are no tasks here yet. \`${submit}\` submits one.` };
		}
		const shown = [...tasks.filter(isOpen), ...tasks.filter((task) => !isOpen(task))].slice(0, mostListed);
		const more = tasks.length - shown.length;
		const lines = shown.map((task) => taskLine(task, desk.platform));
		return { text: [...lines, ...(more > 0 ? [`- and ${more} older ones`] : [])].join("\n") };
	},
};

const show: Command = {
	name: "task show",
	description: "All that is known of a task",
	options: [idOption],
	async run(desk, handled) {
		const { person, room } = handled.arrival;
		const task_id = await meant(desk, handled);
		const task = await desk.gateway.request("check_task", { task_id, ...desk.onBehalf(person, room) });
		return { text: taskReport(task, desk.platform), controls: [controlsOf(task, desk)] };
	},
	complete: suggest(() => true),
};

const cancel: Command = {
	name: "task cancel",
	description: "End a task with all its parts",
	options: [
		idOption,
		{ name: "reason", description: "Why, for the others", type: "string", required: false, max: 1000 },
	],
	async run(desk, handled) {
		const { person, room, options } = handled.arrival;
		const task_id = await meant(desk, handled);
		const reason = textOf(options["reason"]);
		const { status } = await desk.gateway.request("cancel_task", {
			...{ task_id, key: handled.key, ...desk.onBehalf(person, room) },
			...(reason !== "" && { reason }),
		});
		const id = shortId(task_id);
		const over = `\`${id}\` had ended before: ${stateWords[status]}.`;
		return { text: status === "cancelled" ? `\`${id}\` is cancelled, with all its parts.` : over };
	},
	complete: suggest(isOpen),
};

const reply: Command = {
	name: "task reply",
	description: "Answer what a task asks",
	options: [
		idOption,
		{
			...{ name: "text", type: "string", required: true, max: 4000 },
			description: "`approve` lets it go on; anything else tells it what should change",
		},
	],
	async run(desk, handled) {
		const { person, room, options } = handled.arrival;
		const task = await meant(desk, handled);
		const answer = answerOf(textOf(options["text"]));
		const speaker = { person, room, key: handled.key };
		const explained = await answerTask(desk, speaker, { task, ...answer });
		const goesOn = answer.status === "approved" ? "it goes on." : "it goes on with what you wrote.";
		return explained ?? { text: `\`${shortId(task)}\` has your answer: ${goesOn}` };
	},
	complete: suggest(({ status }) => status === "suspended"),
};

/** Work in the background, by command. */
export const taskCommands: readonly Command[] = [create, list, show, cancel, reply];

function meant(desk: Desk, { arrival }: Handling): Promise<string> {
	return findTask(desk, arrival, textOf(arrival.options["id"]));
}

function suggest(fits: (task: Task) => boolean) {
	return async (desk: Desk, { typed, person, room }: Completing): Promise<Suggestion[]> => {
		const tasks = await tasksHere(desk, { person, room });
		return tasks
			.filter((task) => fits(task) && mayMean(task, typed))
			.slice(0, mostSuggested)
			.map(({ id, title, status }) => ({
				value: id,
				label: `${oneLine(title, 60)} · ${stateWords[status]} · ${shortId(id)}`,
			}));
	};
}

function isOpen({ status }: Task): boolean {
	return !hasEnded(status);
}

function controlsOf({ id, status, suspension, session_id: session }: Task, { controls }: Desk): Control[] {
	if (hasEnded(status)) {
		const retry = controls.write({ kind: "task-retry", session, subject: id });
		return [{ type: "button", id: retry, label: "Retry", style: "primary" }];
	}
	const token = suspension?.token;
	const end = controls.write({ kind: "task-cancel", session, subject: id });
	return [
		...(token === undefined ? [] : reviewControls({ task: id, token }, { session, controls })),
		{ type: "button", id: end, label: "Cancel", style: "danger" },
	];
}

function textOf(option: string | number | boolean | undefined): string {
	return typeof option === "string" ? option.trim() : "";
}

function priorityOf(option: string | number | boolean | undefined): "low" | "normal" | "high" {
	return option === "low" || option === "high" ? option : "normal";
}
