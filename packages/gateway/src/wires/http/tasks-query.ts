import { type TaskFilter, type TaskState, taskStates } from "@parley/core";
import { decodeStatuses, encodeState } from "../shared/task-json.ts";
import { readLimit, refused } from "./events-query.ts";

/** What the address of `/api/tasks` asks for. Throws `invalid_argument` saying what is allowed. */
export function decodeTasksQuery(query: URLSearchParams): TaskFilter {
	const sessionId = query.get("session_id");
	const named = query.getAll("status").filter((name) => name !== "");
	return {
		limit: readLimit(query, 50),
		...(sessionId && { sessionId }),
		...(named.length > 0 && { states: decodeStatuses(named.map(readStatus)) }),
	};
}

function readStatus(name: string): ReturnType<typeof encodeState> {
	const statuses = [...new Set(taskStates.map((state: TaskState) => encodeState(state)))];
	const status = statuses.find((each) => each === name);
	if (status !== undefined) return status;
	throw refused("status", name, `is not one of ${statuses.join(", ")}`);
}
