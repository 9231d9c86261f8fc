import { ParleyError } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import { findTask } from "../../conversation/tasks/read-tasks.ts";
import { unfit } from "../../conversation/tasks/refusals.ts";
import type { Tx } from "../../store/journal.ts";
import { reviewOf, speakersOf, type TaskRow } from "../../store/task-rows.ts";
import { actingId, type Principal } from "../../vocabulary/principal.ts";
import type { ReviewReply } from "../../vocabulary/task.ts";

/** What somebody says of what a task asks. */
export interface Replying {
	readonly taskId: string;
	readonly by: Principal;
	readonly approved: boolean;
	readonly feedback: string;
	/** Of the question that was seen; whatever it asks now where absent. */
	readonly token: string | undefined;
}

/** Writes the reply, with which the task goes on. Throws `failed_precondition` where it asks nothing, or something else. */
export async function writeReply(
	tx: Tx,
	{ redactor }: Session,
	now: number,
	{ taskId, by, approved, feedback, token }: Replying,
): Promise<TaskRow> {
	const row = await findTask(tx, taskId);
	const review = row && reviewOf(row);
	if (row?.state !== "suspended" || !review) throw unfit(row, "only a suspended task can be replied to");
	if (token !== undefined && token !== review.token) {
		throw new ParleyError("token: the task asks something else by now; look at it with check_task", {
			code: "failed_precondition",
		});
	}
	const { person } = by;
	const said = { approved, feedback: redactor.redact(feedback), by: actingId(by) };
	const reply: ReviewReply = { ...said, ...(person && { person }) };
	const speakers = [...speakersOf(row), ...(person ? [person] : [])];
	await tx
		.updateTable("tasks")
		.set({
			...{ state: "pending", announce: "resumed", not_before: 0 },
			...{ review: JSON.stringify({ ...review, reply }), updated_at: now },
			...(speakers.length > 0 && { speakers: JSON.stringify(speakers) }),
		})
		.where("id", "=", taskId)
		.where("state", "=", "suspended")
		.execute();
	return row;
}
