import { ParleyError } from "@parley/base";
import type { TaskRow } from "../../store/task-rows.ts";

/** Error for a task that does not exist or that the caller may not read. */
export function unknownTask(id: string): ParleyError {
	return new ParleyError(`task not found: ${id.slice(0, 100)}`, { code: "not_found" });
}

/** The state of the task does not fit what is asked for. */
export function unfit(row: TaskRow | undefined, why: string): ParleyError {
	const shown = row?.state === "waiting" ? "running" : row?.state;
	const state = row ? `task ${row.id} is ${shown}: ` : "";
	return new ParleyError(`${state}${why}`, { code: "failed_precondition" });
}
