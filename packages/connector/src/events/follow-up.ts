import { ParleyError } from "@parley/base";
import type { TaskPayload } from "@parley/protocol";
import { hasEnded } from "../conversation/tasks/task-state.ts";
import type { Person, ReadMessage, Room } from "../platform/inbound-event.ts";
import { taskTexts } from "../texts/tasks.ts";
import type { EventParts } from "./handler.ts";

/**
 * Task to which a message refers. `task`: the id of the task, if the task has not ended. `continues`: the content
 * of the task, if the task has ended and the message continues it. For a deleted task, both are absent.
 */
interface TaskReference {
	readonly task?: string;
	readonly continues?: ReadMessage;
}

/** Returns the reference to a task, according to the gateway; empty for a deleted task. */
export async function findTask(
	{ context }: EventParts,
	{ person, room }: { readonly person: Person; readonly room: Room },
	task: string,
): Promise<TaskReference> {
	try {
		const behalf = context.onBehalf(person, room);
		const found = await context.gateway.request("check_task", { task_id: task, ...behalf });
		return hasEnded(found.status) ? { continues: contentOf(found) } : { task };
	} catch (reason) {
		if (ParleyError.from(reason).code !== "not_found") throw reason;
		return {};
	}
}

function contentOf({
	id,
	title,
	status,
	description,
	output,
	error,
	completed_at,
	updated_at,
}: TaskPayload): ReadMessage {
	const text = taskTexts.followUp.task({
		title,
		state: taskTexts.states[status],
		request: description,
		result: output === "" ? error : output,
	});
	return {
		// The constant id lets a session get this message only once.
		id: `task:${id}`.slice(0, 128),
		relation: "thread",
		author: { id: "task", name: "", roles: [], guest: false, bot: true },
		ours: true,
		at: Date.parse(completed_at ?? updated_at),
		text,
		attachments: [],
	};
}
