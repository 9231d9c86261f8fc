import type { Store } from "@parley/base";
import type { Tables } from "../journal/tables.ts";
import type { Usage } from "../usage/usage.ts";

/** A session as a list shows it. Times are milliseconds since the epoch. */
export interface SessionSummary {
	readonly id: string;
	readonly externalKey: string | undefined;
	readonly title: string;
	readonly rootDir: string;
	readonly status: "active" | "closed";
	readonly lastSeq: number;
	readonly messageCount: number;
	readonly usage: Pick<Usage, "inputTokens" | "outputTokens">;
	/** What `set_model` chose, if anything. */
	readonly model: string | undefined;
	/** The agent profile it was opened with. */
	readonly profile: string;
	readonly createdAt: number;
	readonly updatedAt: number;
	/** Whether something runs there, or waits for a person. */
	readonly state: "idle" | "running" | "waiting";
}

/** Which sessions are wanted. */
export interface SessionFilter {
	readonly limit: number;
	/** Words that the title or a message holds, whatever their case. */
	readonly query?: string;
}

/** All that a list shows; a system prompt may have many kilobytes. */
const columns = [
	...(["id", "external_key", "title", "root_dir", "status", "last_seq"] as const),
	...([
		"message_count",
		"input_tokens",
		"output_tokens",
		"created_at",
		"updated_at",
		"model",
		"profile",
	] as const),
];

/** The newest `limit` sessions of one owner, or of all. */
export async function listSessions(
	store: Store<Tables>,
	owner: string | undefined,
	{ limit }: SessionFilter,
): Promise<SessionSummary[]> {
	const rows = await store.read((db) => {
		const query = db.selectFrom("sessions").select(columns).orderBy("updated_at", "desc").limit(limit);
		return (owner === undefined ? query : query.where("owner", "=", owner)).execute();
	});
	return rows.map((row) => ({
		id: row.id,
		externalKey: row.external_key ?? undefined,
		title: row.title,
		rootDir: row.root_dir,
		status: row.status,
		lastSeq: Number(row.last_seq),
		messageCount: Number(row.message_count),
		usage: { inputTokens: Number(row.input_tokens), outputTokens: Number(row.output_tokens) },
		model: row.model ?? undefined,
		profile: row.profile,
		createdAt: Number(row.created_at),
		updatedAt: Number(row.updated_at),
		state: "idle",
	}));
}
