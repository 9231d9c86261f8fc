import { defined, ParleyError } from "@parley/base";
import type { TaskPayload } from "@parley/protocol";
import type { ControlTarget } from "../controls/controls.ts";
import { readReviewSubject } from "../conversation/tasks/review-card.ts";
import { findTaskOfCard, hasEnded } from "../conversation/tasks/task-state.ts";
import { taskEndText } from "../conversation/tasks/task-words.ts";
import { plainLine } from "../conversation/vocabulary/plain.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { HandledEvent, HandlerContext, Reply } from "../rooms/handler-context.ts";
import { taskTexts } from "../texts/tasks.ts";
import type { PressHandler, PressHandlers } from "./press.ts";

const { replies: texts } = taskTexts;

export const pressesOfTasks: PressHandlers<"task-approve" | "task-revise" | "task-cancel" | "task-retry"> = {
	"task-approve": known((context, handled, { subject }) =>
		answerTask(context, authorOf(handled), { ...readReviewSubject(subject), status: "approved" }),
	),

	"task-revise": known((context, handled, { subject }) => {
		const feedback = handled.event.fields["text"] ?? "";
		return answerTask(context, authorOf(handled), {
			...readReviewSubject(subject),
			status: "revise",
			feedback,
		});
	}),

	"task-cancel": known(async (context, { event, key }, { session, subject: task_id }) => {
		const behalf = context.onBehalf(event.person, event.room);
		const isOver = () => context.session(session)?.state.tasks.ended.some(({ id }) => id === task_id);
		// After a crash, `wasOver` is the state before the earlier attempt.
		const wasOver = await context.choices.stored(`${key}/over`, async () => (isOver() ? "yes" : "no"));
		const { status } = await context.gateway.request("cancel_task", { task_id, key, ...behalf });
		if (status === "cancelled" && wasOver === "no") return;
		const task = await context.gateway.request("check_task", { task_id, ...behalf });
		return { text: texts.alreadyEnded({ end: howEnded(context, task) }) };
	}),

	"task-retry": known(async (context, { event }, { subject: task_id }) => {
		const behalf = context.onBehalf(event.person, event.room);
		// All presses of the button share one key, so that a second press does not start a second task.
		const key = `retry/${task_id}`;
		try {
			await context.gateway.request("retry_task", { task_id, key, ...behalf });
			return { text: texts.restarted };
		} catch (reason) {
			if (isUnfit(reason)) return { text: texts.stillRunning };
			if (ParleyError.from(reason).code !== "invalid_argument") throw reason;
			return { text: texts.alreadyRestarted };
		}
	}),
};

function authorOf({ event: { person, room }, key }: HandledEvent<"press">): AnswerAuthor {
	return { person, room, key };
}

/**
 * Returns a handler that replies with an explanation, instead of an error, if the gateway no longer knows the task.
 */
function known(handler: PressHandler): PressHandler {
	return async (context, handled, target) => {
		try {
			return await handler(context, handled, target);
		} catch (reason) {
			if (ParleyError.from(reason).code !== "not_found") throw reason;
			return closedTaskReply(context, target, handled.event.room);
		}
	};
}

function closedTaskReply({ session, platform }: HandlerContext, target: ControlTarget, room: Room): Reply {
	const { task } = readReviewSubject(target.subject);
	const ended = session(target.session)?.state.tasks.ended.find(({ id }) => id === task);
	const text = ended
		? texts.forgotten({ title: plainLine(ended.title, 150), state: taskTexts.states[ended.state] })
		: texts.unknown;
	const another = texts.startAnother({ command: platform.command("task new", room) });
	return { text: `${text} ${another}` };
}

interface AnswerAuthor {
	readonly person: Person;
	readonly room: Room;
	readonly key: string;
}

interface TaskAnswer {
	readonly task: string;
	readonly status: "approved" | "revise";
	readonly feedback?: string;
	/** Last characters of the question's token. Absent: the current question is answered. */
	readonly tokenEnd?: string;
}

const approvals: ReadonlySet<string> = new Set(["yes", "approve", "ok", "go ahead"]);

/** Reads the answer in a text: a short yes lets the task continue, and any other text requests changes. */
export function answerOf(text: string): {
	readonly status: TaskAnswer["status"];
	readonly feedback?: string;
} {
	const words = text.trim();
	const lowered = words.toLowerCase().replace(/[.!\s]+$/u, "");
	return approvals.has(lowered) ? { status: "approved" } : { status: "revise", feedback: words };
}

/**
 * Answers the question of a task. Returns undefined if the card shows the result, or an explanation if the question is
 * closed. Rejects with the gateway's refusal.
 */
export async function answerTask(
	context: HandlerContext,
	{ person, room, key }: AnswerAuthor,
	{ task: task_id, status, feedback, tokenEnd = "" }: TaskAnswer,
): Promise<Reply | undefined> {
	const behalf = context.onBehalf(person, room);
	const task = await context.gateway.request("check_task", { task_id, ...behalf });
	// After a crash, `token` belongs to the question of the earlier attempt. The gateway may have closed that
	// question.
	const token = await context.choices.stored(`${key}/question`, async () => {
		const open = task.suspension?.token;
		return open?.endsWith(tokenEnd) ? open : undefined;
	});
	if (token === undefined) return tooLate(context, task);
	const params = { status, token, key, ...defined({ feedback }) };
	try {
		await context.gateway.request("reply_task", { task_id, ...params, ...behalf });
		return;
	} catch (reason) {
		// The question is closed, for example because another person has answered it.
		if (!isUnfit(reason)) throw reason;
		return tooLate(context, await context.gateway.request("check_task", { task_id, ...behalf }));
	}
}

/**
 * Sends a message to a task as the answer to the task's question. Replies with an explanation if no question is open
 * or the message has no text.
 */
export async function replyToTask(
	context: HandlerContext,
	{ taskId, text, ...author }: AnswerAuthor & { readonly taskId: string; readonly text: string },
): Promise<Reply | undefined> {
	const behalf = context.onBehalf(author.person, author.room);
	const task = await context.gateway.request("check_task", { task_id: taskId, ...behalf });
	const asking = task.status === "suspended" ? taskId : askingFor(context, task);
	if (asking === undefined) return withoutQuestion(context, task);
	if (text.trim() === "") return { text: texts.emptyReply };
	return answerTask(context, author, { task: asking, ...answerOf(text) });
}

/** Whether the gateway refused because of the task's state: `not available` on the wire. */
function isUnfit(reason: unknown): boolean {
	return ParleyError.from(reason).code === "unimplemented";
}

/**
 * Returns the id of the task that asked the newest open question on a task's card. This is the task of the card, or
 * one of its workers. Returns undefined if no question is open.
 */
function askingFor({ session }: HandlerContext, { id, session_id }: TaskPayload): string | undefined {
	const tasks = session(session_id)?.state.tasks;
	return tasks && findTaskOfCard(tasks, id)?.reviews.at(-1)?.task;
}

function howEnded({ session, platform }: HandlerContext, task: TaskPayload): string {
	const ended = session(task.session_id)?.state.tasks.ended.find(({ id }) => id === task.id);
	return taskEndText(task, ended, platform);
}

function tooLate(context: HandlerContext, task: TaskPayload): Reply {
	const title = plainLine(task.title, 150);
	if (task.status === "suspended") return { text: texts.newerQuestion({ title }) };
	if (hasEnded(task.status)) return withoutQuestion(context, task);
	return { text: texts.alreadyAnswered({ title }) };
}

function withoutQuestion(context: HandlerContext, task: TaskPayload): Reply {
	const { controls } = context;
	const { id, status, session_id: session } = task;
	const title = plainLine(task.title, 150);
	if (hasEnded(status)) {
		const control = controls.write({ kind: "task-retry", session, subject: id });
		return {
			text: texts.ended({ title, end: howEnded(context, task) }),
			controls: [[{ type: "button", id: control, label: taskTexts.buttons.retry, style: "primary" }]],
		};
	}
	const control = controls.write({ kind: "task-cancel", session, subject: id });
	return {
		text: texts.noQuestion({ title }),
		controls: [[{ type: "button", id: control, label: taskTexts.buttons.cancel, style: "danger" }]],
	};
}
