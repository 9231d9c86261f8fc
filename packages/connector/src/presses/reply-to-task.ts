import { ParleyError } from "@parley/base";
import type { TaskPayload } from "@parley/protocol";
import { cardWith, hasEnded } from "../conversation/tasks/task-state.ts";
import { endWords } from "../conversation/tasks/task-words.ts";
import { plain } from "../conversation/vocabulary/plain.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { Desk, Reply } from "../rooms/handler-context.ts";

/** Who says something about a task, and where. */
export interface TaskSpeaker {
	readonly person: Person;
	readonly room: Room;
	readonly key: string;
}

/** What somebody says of what a task asks. */
export interface TaskAnswer {
	readonly task: string;
	readonly status: "approved" | "revise";
	readonly feedback?: string;
	/** How the token of the question ends that is meant; whatever it asks now where absent. */
	readonly tokenEnd?: string;
}

const approvals: ReadonlySet<string> = new Set(["yes", "approve", "ok", "go ahead"]);

/** What a text says to a question: a short yes and nothing more lets the task go on, all else is what should change. */
export function answerOf(text: string): Pick<TaskAnswer, "status" | "feedback"> {
	const words = text.trim();
	const said = words.toLowerCase().replace(/[.!\s]+$/u, "");
	return approvals.has(said) ? { status: "approved" } : { status: "revise", feedback: words };
}

/**
 * Answers what a task asks; nobody needs a reply then, because its card shows it. A question that is over is explained.
 * Rejects with the gateway's refusal.
 */
export async function answerTask(
	desk: Desk,
	{ person, room, key }: TaskSpeaker,
	{ task: task_id, status, feedback, tokenEnd = "" }: TaskAnswer,
): Promise<Reply | undefined> {
	const behalf = desk.onBehalf(person, room);
	const task = await desk.gateway.request("check_task", { task_id, ...behalf });
	const token = task.suspension?.token;
	if (token === undefined || !token.endsWith(tokenEnd)) return tooLate(desk, task);
	const said = { status, token, key, ...(feedback !== undefined && { feedback }) };
	try {
		await desk.gateway.request("reply_task", { task_id, ...said, ...behalf });
		return;
	} catch (reason) {
		// Somebody was faster.
		if (!isUnfit(reason)) throw reason;
		return tooLate(desk, await desk.gateway.request("check_task", { task_id, ...behalf }));
	}
}

/** A message in the thread of a task: an answer where it asks something, else what can be done about it. */
export async function replyToTask(
	desk: Desk,
	{ taskId, text, ...speaker }: TaskSpeaker & { readonly taskId: string; readonly text: string },
): Promise<Reply | undefined> {
	const behalf = desk.onBehalf(speaker.person, speaker.room);
	const task = await desk.gateway.request("check_task", { task_id: taskId, ...behalf });
	const asking = task.status === "suspended" ? taskId : askingFor(desk, task);
	if (asking === undefined) return unasked(desk, task);
	if (text.trim() === "") return { text: "Write what should change, or press Approve at its question." };
	return answerTask(desk, speaker, { task: asking, ...answerOf(text) });
}

/** Whether the state of what was asked for does not allow it: on the wire that is `not available`. */
export function isUnfit(reason: unknown): boolean {
	return ParleyError.from(reason).code === "unimplemented";
}

/** The worker of a task whose question came last. */
function askingFor({ session }: Desk, { id, session_id }: TaskPayload): string | undefined {
	const tasks = session(session_id)?.state.tasks;
	return tasks && cardWith(tasks, id)?.reviews.at(-1)?.task;
}

/** Who has ended a task, or why it ended, and when. */
export function howEnded({ session, platform }: Desk, task: TaskPayload): string {
	const ended = session(task.session_id)?.state.tasks.ended.find(({ id }) => id === task.id);
	return endWords(task, ended, platform);
}

function tooLate(desk: Desk, task: TaskPayload): Reply {
	if (task.status === "suspended") {
		return {
			text: `**${plain(task.title, 150)}** asks something else by now: its newest question has buttons of its own.`,
		};
	}
	if (hasEnded(task.status)) return unasked(desk, task);
	return { text: `That was answered already: **${plain(task.title, 150)}** goes on.` };
}

/** What can be done about a task that asks nothing. */
function unasked(desk: Desk, task: TaskPayload): Reply {
	const { controls } = desk;
	const { id, title, status, session_id: session } = task;
	const name = `**${plain(title, 150)}**`;
	if (hasEnded(status)) {
		const control = controls.write({ kind: "task-retry", session, subject: id });
		return {
			text: `${name} is over (${howEnded(desk, task)}) and hears nothing any more. Retry does it once more, as a new task.`,
			controls: [[{ type: "button", id: control, label: "Retry", style: "primary" }]],
		};
	}
	const control = controls.write({ kind: "task-cancel", session, subject: id });
	return {
		text: `${name} asks nothing at the moment, and a task at work cannot be told more. Wait until it asks, or cancel it and submit it anew.`,
		controls: [[{ type: "button", id: control, label: "Cancel", style: "danger" }]],
	};
}
