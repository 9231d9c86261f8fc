import type { Selectable } from "kysely";
import { stamp, type Tables } from "./tables.ts";

type SessionRow = Selectable<Tables["sessions"]>;

interface NewSessionFacts {
	readonly id: string;
	readonly owner: string;
	readonly external_key: SessionRow["external_key"];
	readonly title: string;
	readonly titled_by: SessionRow["titled_by"];
	readonly root_dir: SessionRow["root_dir"];
	readonly profile: SessionRow["profile"];
	readonly place: SessionRow["place"];
}

export function sessionRow(facts: NewSessionFacts, now: number): SessionRow {
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
