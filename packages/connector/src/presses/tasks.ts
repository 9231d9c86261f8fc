import { ParleyError } from "@parley/base";
import type { ControlTarget } from "../controls/controls.ts";
import { readReviewSubject } from "../conversation/tasks/review-card.ts";
import { stateWords } from "../conversation/tasks/task-words.ts";
import { plain } from "../conversation/vocabulary/plain.ts";
import type { Room } from "../platform/inbound-event.ts";
import type { Desk, Handled, Reply } from "../rooms/handler-context.ts";
import type { PressHandler, PressHandlers } from "./press.ts";
import { answerTask, howEnded, isUnfit, type TaskSpeaker } from "./reply-to-task.ts";

/** What the buttons of tasks do. */
export const pressesOfTasks: PressHandlers<"task-approve" | "task-revise" | "task-cancel" | "task-retry"> = {
	"task-approve": known((desk, handled, { subject }) =>
		answerTask(desk, speakerOf(handled), { ...readReviewSubject(subject), status: "approved" }),
	),

	"task-revise": known((desk, handled, { subject }) => {
		const feedback = handled.arrival.fields["text"] ?? "";
		return answerTask(desk, speakerOf(handled), {
			...readReviewSubject(subject),
			status: "revise",
			feedback,
		});
	}),

	"task-cancel": known(async (desk, { arrival, key }, { session, subject: task_id }) => {
		const behalf = desk.onBehalf(arrival.person, arrival.room);
		const wasOver = desk.session(session)?.state.tasks.ended.some(({ id }) => id === task_id) ?? false;
		const { status } = await desk.gateway.request("cancel_task", { task_id, key, ...behalf });
		if (status === "cancelled" && !wasOver) return;
		const task = await desk.gateway.request("check_task", { task_id, ...behalf });
		return { text: `It was over before you pressed: ${howEnded(desk, task)}.` };
	}),

	"task-retry": known(async (desk, { arrival }, { subject: task_id }) => {
		const behalf = desk.onBehalf(arrival.person, arrival.room);
		// One key for all presses of the button: whoever presses twice, or second, does not get a second task.
		const key = `retry/${task_id}`;
		try {
			await desk.gateway.request("retry_task", { task_id, key, ...behalf });
			return { text: "It is done once more, as a new task with a card of its own." };
		} catch (reason) {
			if (isUnfit(reason)) return { text: "It is at work: only a task that is over can be done once more." };
			if (ParleyError.from(reason).code !== "invalid_argument") throw reason;
			return { text: "Somebody has started it once more already: look for its new card." };
		}
	}),
};

function speakerOf({ arrival: { person, room }, key }: Handled<"press">): TaskSpeaker {
	return { person, room, key };
}

/** Explains a press on the card of a task that the gateway does not know any more. */
function known(handler: PressHandler): PressHandler {
	return async (desk, handled, target) => {
		try {
			return await handler(desk, handled, target);
		} catch (reason) {
			if (ParleyError.from(reason).code !== "not_found") throw reason;
			return gone(desk, target, handled.arrival.room);
		}
	};
}

function gone({ session, platform }: Desk, target: ControlTarget, room: Room): Reply {
	const { task } = readReviewSubject(target.subject);
	const ended = session(target.session)?.state.tasks.ended.find(({ id }) => id === task);
	const text = ended
		? `**${plain(ended.title, 150)}** is over (${stateWords[ended.state]}), and the gateway has forgotten it.`
		: "The gateway does not know this task any more.";
	return { text: `${text} \`${platform.command("task new", room)}\` submits another one.` };
}
