import type { Selectable } from "kysely";
import { stamp, type Tables } from "./tables.ts";

/** A new session's row. */
export function sessionRow(
	facts: Pick<
		Selectable<Tables["sessions"]>,
		"id" | "owner" | "external_key" | "title" | "titled_by" | "root_dir" | "profile" | "place"
	>,
	now: number,
): Selectable<Tables["sessions"]> {
	return {
		...facts,
		status: "active",
		last_seq: 0,
		message_count: 0,
		input_tokens: 0,
		output_tokens: 0,
		model: null,
		taint: "",
		created_at: now,
		updated_at: now,
		left_at: now,
		task_id: null,
		hashed_from: 1,
		...stamp,
	};
}
