import { defined, definedItems, ParleyError } from "@parley/base";
import type { MethodResult, Requester, TaskPayload } from "@parley/protocol";
import { reviewControls } from "../conversation/tasks/review-card.ts";
import { hasEnded, shortId } from "../conversation/tasks/task-state.ts";
import { barOf, because, lengthOf, stateWords, tokensOf } from "../conversation/tasks/task-words.ts";
import { oneLine, plain } from "../conversation/vocabulary/plain.ts";
import type { ChatPlatform, PlatformWords } from "../platform/chat-platform.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { Control } from "../platform/posting.ts";
import { answerOf, answerTask } from "../presses/tasks.ts";
import type { HandledEvent, HandlerContext } from "../rooms/handler-context.ts";
import type { Command, CommandOption, Completing, Suggestion } from "./command.ts";

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
			name: "priority",
			description: "How soon it is its turn",
			type: "string",
			required: false,
			choices: ["low", "normal", "high"].map((value) => ({ value, label: value })),
		},
	],
	async run(context, { event: { person, room, options }, key }) {
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
			.slice(0, maxSuggested)
			.map(({ name, title }) => ({ value: name, label: title || name }));
	},
};

const list: Command = {
	name: "task list",
	also: "tasks",
	description: "What is worked on in the background here, and what came of it",
	options: [],
	async run(context, { event }) {
		const tasks = await tasksHere(context, event);
		if (tasks.length === 0) {
			const submit = context.platform.command("task new", event.room);
			return { text: `There are no tasks here yet. \`${submit}\` submits one.` };
		}
		const shown = [...tasks.filter(isOpen), ...tasks.filter((task) => !isOpen(task))].slice(0, maxListed);
		const more = tasks.length - shown.length;
		const lines = shown.map((task) => taskLine(task, context.platform));
		return { text: definedItems([...lines, more > 0 ? `- and ${more} older ones` : undefined]).join("\n") };
	},
};

const show: Command = {
	name: "task show",
	description: "All that is known of a task",
	options: [idOption],
	async run(context, handled) {
		const { person, room } = handled.event;
		const task_id = await taskId(context, handled);
		const task = await context.gateway.request("check_task", { task_id, ...context.onBehalf(person, room) });
		return { text: taskReport(task, context.platform), controls: [controlsOf(task, context)] };
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
	async run(context, handled) {
		const { person, room, options } = handled.event;
		const task_id = await taskId(context, handled);
		const reason = textOf(options["reason"]);
		const { status } = await context.gateway.request("cancel_task", {
			task_id,
			key: handled.key,
			...context.onBehalf(person, room),
			...defined({ reason: reason || undefined }),
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
			name: "text",
			type: "string",
			required: true,
			max: 4000,
			description: "`approve` lets it go on; anything else tells it what should change",
		},
	],
	async run(context, handled) {
		const { person, room, options } = handled.event;
		const task = await taskId(context, handled);
		const answer = answerOf(textOf(options["text"]));
		const speaker = { person, room, key: handled.key };
		const explained = await answerTask(context, speaker, { task, ...answer });
		const goesOn = answer.status === "approved" ? "it goes on." : "it goes on with what you wrote.";
		return explained ?? { text: `\`${shortId(task)}\` has your answer: ${goesOn}` };
	},
	complete: suggest(({ status }) => status === "suspended"),
};

/** Commands for work in the background. */
export const taskCommands: readonly Command[] = [create, list, show, cancel, reply];

function taskId(context: HandlerContext, { event }: Handling): Promise<string> {
	return findTask(context, event, textOf(event.options["id"]));
}

function suggest(fits: (task: Task) => boolean) {
	return async (context: HandlerContext, { typed, person, room }: Completing): Promise<Suggestion[]> => {
		const tasks = await tasksHere(context, { person, room });
		return tasks
			.filter((task) => fits(task) && mayMean(task, typed))
			.slice(0, maxSuggested)
			.map(({ id, title, status }) => ({
				value: id,
				label: `${oneLine(title, 60)} · ${stateWords[status]} · ${shortId(id)}`,
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

type Platform = PlatformWords;

const dollars = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 4 });

/** A task as one line of a list. */
function taskLine(task: TaskPayload, { moment }: Platform): string {
	const { id, title, status, progress, created_at } = task;
	const bar = hasEnded(status) ? undefined : barOf(progress.current_step, progress.total_steps);
	const facts = definedItems([stateWords[status], bar]).join(", ");
	return `- \`${shortId(id)}\` **${plain(title, 80)}** · ${facts} · ${moment(Date.parse(created_at), "relative")}`;
}

/** All details of a task. */
function taskReport(task: TaskPayload, platform: Platform): string {
	return definedItems([
		`**${plain(task.title, 200)}** · \`${shortId(task.id)}\`\n${statusLine(task, platform)}`,
		factsOf(task, platform),
		...planOf(task),
		...questionOf(task),
		task.description.trim() === "" ? undefined : `**Asked for**\n\n${task.description.trim()}`,
		task.output.trim() === "" ? undefined : `**Came of it**\n\n${task.output.trim()}`,
	]).join("\n\n");
}

function statusLine({ status, error, progress }: TaskPayload, platform: Platform): string {
	const bar = barOf(progress.current_step, progress.total_steps);
	const why = hasEnded(status) ? because({ why: error }, platform) : "";
	return `${stateWords[status]}${why}${bar === undefined ? "" : `\n${bar}`}`;
}

function factsOf(task: TaskPayload, { moment }: Platform): string {
	const { usage, started_at, completed_at, created_at, agent, model } = task;
	const start = started_at === undefined ? undefined : Date.parse(started_at);
	const end = completed_at === undefined ? undefined : Date.parse(completed_at);
	const spent = tokensOf({ input: usage.tokens_input, output: usage.tokens_output });
	return definedItems([
		`asked for ${moment(Date.parse(created_at), "exact")}`,
		start !== undefined && end === undefined ? `started ${moment(start, "relative")}` : undefined,
		start !== undefined && end !== undefined ? `took ${lengthOf(end - start)}` : undefined,
		`agent ${plain(agent, 80)}${model === undefined ? "" : ` with ${plain(model, 80)}`}`,
		`${spent}, ${dollars.format(usage.cost_usd)}`,
	]).join(" · ");
}

function planOf({ plan = [] }: TaskPayload): string[] {
	if (plan.length === 0) return [];
	const steps = plan.map(({ title, status }) => {
		const note = { pending: "", completed: "", in_progress: " (at work)", skipped: " (left out)" }[status];
		return `- [${status === "completed" ? "x" : " "}] ${plain(title, 120)}${note}`;
	});
	return [`**Plan**\n${steps.join("\n")}`];
}

function questionOf({ suspension }: TaskPayload): string[] {
	if (!suspension) return [];
	const { reason, plan_content: plan } = suspension;
	return definedItems([
		`**It waits for you**: ${plain(reason, 300)}`,
		plan.trim() === "" ? undefined : plan.trim(),
	]);
}

/** Maximum number of tasks that are searched. */
const maxLooked = 100;
const leastEnding = 3;

/** Requests about tasks on behalf of people. */
interface TaskContext {
	readonly gateway: Requester;
	readonly onBehalf: HandlerContext["onBehalf"];
}

/** The newest tasks of the channel without workers. */
async function tasksHere(
	{ gateway, onBehalf }: TaskContext,
	{ person, room }: { readonly person: Person; readonly room: Room },
): Promise<TaskPayload[]> {
	const params = { limit: maxLooked, ...onBehalf(person, room) };
	const { tasks } = await gateway.request("query_tasks", params);
	return tasks.filter(({ parent_id }) => parent_id === "");
}

/**
 * Returns the id of the task for a typed id or the end of one. Throws `not_found`, or `invalid_argument` if several tasks
 * match.
 */
async function findTask(
	context: TaskContext & { readonly platform: ChatPlatform },
	who: { readonly person: Person; readonly room: Room },
	typed: string,
): Promise<string> {
	const wanted = typed.trim().toLowerCase();
	// Chosen from the list, or older than the searched tasks.
	if (/^task_[0-9a-z]{26}$/.test(wanted)) return wanted;
	const tasks = wanted.length < leastEnding ? [] : await tasksHere(context, who);
	const [found, other] = tasks.filter(({ id }) => id.endsWith(wanted));
	if (found && !other) return found.id;
	const message = found
		? `the ids of several tasks end with ${wanted}: write more of the one you mean, such as ${found.id.slice(-10)}`
		: `no task here has an id that ends with ${wanted}: ${context.platform.command("task list", who.room)} shows them`;
	throw new ParleyError(message, { code: found ? "invalid_argument" : "not_found" });
}

/** Whether the typed text may refer to the task. */
function mayMean({ id, title }: TaskPayload, typed: string): boolean {
	const words = typed.trim().toLowerCase();
	return title.toLowerCase().includes(words) || id === words || shortId(id).includes(words);
}
