import { definedItems, type Engine, type Store } from "@parley/base";
import { type RawBuilder, type Selectable, sql } from "kysely";
import { folded } from "../../store/search-texts.ts";
import type { Tables } from "../../store/tables.ts";
import { authorize, isAuthorized } from "../../vocabulary/authorize.ts";
import { type Principal, type SessionsOf, visibleSessions } from "../../vocabulary/principal.ts";
import type { Usage } from "../../vocabulary/usage.ts";

/** A session in a list. Times are milliseconds since the epoch. */
export interface SessionSummary {
	readonly id: string;
	readonly externalKey: string | undefined;
	readonly title: string;
	readonly rootDir: string;
	readonly status: "active" | "closed";
	readonly lastSeq: number;
	readonly messageCount: number;
	readonly usage: Pick<Usage, "inputTokens" | "outputTokens">;
	/** Cost of all model calls so far, in billionths of a US dollar. */
	readonly cost: number;
	/** Model that `set_model` or the channel settings have set. Undefined if the profile or the gateway decides. */
	readonly model: string | undefined;
	readonly profile: string;
	readonly createdAt: number;
	readonly updatedAt: number;
	/** `waiting` if a question is open, otherwise `running` if a run is active or queued. */
	readonly state: "idle" | "running" | "waiting";
}

export interface SessionFilter {
	readonly limit: number;
	/**
	 * Words, each of which the title, the external key or the messages must contain. Case is ignored, and so are words
	 * after the tenth.
	 */
	readonly query?: string;
	readonly idPrefix?: string;
}

const columns = [
	"id",
	"external_key",
	"title",
	"root_dir",
	"status",
	"last_seq",
	"message_count",
	"input_tokens",
	"output_tokens",
	"created_at",
	"updated_at",
	"model",
	"profile",
] as const;

/**
 * State of a session in SQL. The conditions are literals, because SQLite uses a partial index only for a
 * literal condition.
 */
const state = sql<SessionSummary["state"]>`case
	when exists (select 1 from prompts where prompts.session_id = sessions.id and prompts.state = 'open') then 'waiting'
	when exists (select 1 from runs where runs.session_id = sessions.id and runs.state <> 'ended') then 'running'
	else 'idle' end`;
const cost = sql<
	number | null
>`(select sum(usage_days.cost) from usage_days where usage_days.scope = sessions.id)`;

/**
 * Returns at most `limit` sessions that the principal may see and that match the filter. Sessions with newer messages
 * are first. Sessions of tasks are omitted.
 */
export async function listSessions(
	store: Store<Tables>,
	principal: Principal,
	filter: SessionFilter,
): Promise<SessionSummary[]> {
	authorize(principal, "session.list");
	const all = isAuthorized(principal, "session.list", { owner: "" });
	return readSessions(store, all ? undefined : visibleSessions(principal), filter);
}

async function readSessions(
	store: Store<Tables>,
	of: SessionsOf | undefined,
	{ limit, query, idPrefix }: SessionFilter,
): Promise<SessionSummary[]> {
	const rows = await store.read((db) => {
		let selected = db
			.selectFrom("sessions")
			.select(columns)
			.select([state.as("state"), cost.as("cost")])
			.where("task_id", "is", null)
			.orderBy("updated_at", "desc")
			.limit(limit);
		if (of) {
			const { owner, ids = [], place } = of;
			// PostgreSQL does not accept an empty list.
			selected = selected.where((row) =>
				row.or(definedItems([row("owner", "=", owner), ids.length > 0 ? row("id", "in", ids) : undefined])),
			);
			if (place !== undefined) selected = selected.where("place", "=", place);
		}
		if (idPrefix !== undefined)
			selected = selected.where(sql<boolean>`substr(id, 1, ${idPrefix.length}) = ${idPrefix}`);
		for (const condition of conditionsOf(query ?? "", store.engine)) selected = selected.where(condition);
		return selected.execute();
	});
	return rows.map(toSummary);
}

type Row = Pick<Selectable<Tables["sessions"]>, (typeof columns)[number]> &
	Pick<SessionSummary, "state"> & { readonly cost: number | null };

function toSummary(row: Row): SessionSummary {
	return {
		id: row.id,
		externalKey: row.external_key ?? undefined,
		title: row.title,
		rootDir: row.root_dir,
		status: row.status,
		lastSeq: Number(row.last_seq),
		messageCount: Number(row.message_count),
		usage: { inputTokens: Number(row.input_tokens), outputTokens: Number(row.output_tokens) },
		cost: Number(row.cost ?? 0),
		model: row.model ?? undefined,
		profile: row.profile,
		createdAt: Number(row.created_at),
		updatedAt: Number(row.updated_at),
		state: row.state,
	};
}

/** Minimum characters of an indexed word. The search finds shorter words in the texts. */
const shortestIndexed = 3;
/** Maximum words of a search. Further words are ignored. */
const maxWords = 10;

function conditionsOf(query: string, engine: Engine): RawBuilder<boolean>[] {
	const words = [...new Set(folded(query).split(/\s+/u))].filter((word) => word !== "");
	return words.slice(0, maxWords).map((word) => {
		const indexed = engine === "sqlite" && [...word].length >= shortestIndexed;
		return sql<boolean>`sessions.id in (${indexed ? inIndex(word) : inTexts(word)})`;
	});
}

/** Returns a query for the ids of the sessions that have a text with the word. */
function inIndex(word: string): RawBuilder<unknown> {
	// A quoted word contains no operator: https://www.sqlite.org/fts5.html#full_text_query_syntax
	const phrase = `"${word.replaceAll('"', '""')}"`;
	// The newest texts are not indexed yet (see `indexInGroups`), so they are searched directly.
	return sql`select session_id from search_texts
			where id in (select rowid from search_index where search_index match ${phrase})
		union all select session_id from search_texts
			where id > coalesce((select rowid from search_index order by rowid desc limit 1), 0)
			and instr(text, ${word}) > 0`;
}

function inTexts(word: string): RawBuilder<unknown> {
	const pattern = `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`;
	return sql`select session_id from search_texts where text like ${pattern} escape '\\'`;
}
