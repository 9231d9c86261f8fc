import { defined, hotStatement, parseJson, type Store } from "@parley/base";
import type { OpenSession } from "@parley/protocol";
import type { Kysely } from "kysely";
import { type ConversationState, emptyConversation } from "../conversation/conversation.ts";
import type { ConnectorTables } from "../store/tables.ts";

type Tx = Kysely<ConnectorTables>;

/** Position in a session, and its state at that position. */
export interface SessionCursor {
	/** `seq` of the newest planned event, with or without posts. */
	readonly seq: number;
	/** `seq` of the last event for which a connector with another database may have sent posts. */
	readonly replayedTo: number;
	/**
	 * State at `seq`; undefined if the database has no state that this version can read. The events up to `seq` are
	 * then reduced again without posts.
	 */
	readonly state?: ConversationState;
}

/**
 * Whether rendering can continue at the cursor. False without a state. Also false after an interrupted replay,
 * because the old cards of the replay were not stored.
 */
export function canResume(
	cursor: SessionCursor,
): cursor is SessionCursor & { readonly state: ConversationState } {
	return cursor.state !== undefined && cursor.seq >= cursor.replayedTo;
}

const selectSessionCursor = hotStatement<
	ConnectorTables,
	{ session: string },
	{ seq: number; replayed_to: number; state: string | null }
>((db, p) =>
	db.selectFrom("cursors").select(["seq", "replayed_to", "state"]).where("session", "=", p("session")),
);

/** Reads the cursor of a session; undefined if this database has not rendered the session. */
export async function readSessionCursor(db: Tx, session: string): Promise<SessionCursor | undefined> {
	const [row] = await selectSessionCursor(db, { session });
	if (row === undefined) return undefined;
	const state = row.state === null ? undefined : readState(row.state);
	return {
		seq: Number(row.seq),
		replayedTo: Number(row.replayed_to),
		...defined({ state }),
	};
}

/** Position in a session, with the time of its last change in milliseconds since the epoch. */
interface Trace {
	readonly seq: number;
	readonly changedAt: number;
	/** External key; absent if an earlier version wrote the row, or if the session has no state. */
	readonly externalKey?: string;
}

export type Traces = ReadonlyMap<string, Trace>;

/** Returns all cursors by their key, including the cursors for posts that belong to no session. */
export async function readTraces(db: Tx): Promise<Traces> {
	const columns = ["session", "seq", "changed_at", "external_key"] as const;
	const rows = await db.selectFrom("cursors").select(columns).execute();
	return new Map(
		rows.map(({ session, seq, changed_at, external_key: externalKey }) => [
			session,
			{
				seq: Number(seq),
				changedAt: Number(changed_at),
				...defined({ externalKey: externalKey ?? undefined }),
			},
		]),
	);
}

/** Deletes the cursor of a session, so that the session is rendered from its beginning. */
export async function forgetSessionCursor(tx: Tx, session: string): Promise<void> {
	await tx.deleteFrom("cursors").where("session", "=", session).execute();
}

/**
 * Returns a cursor at the beginning of a session. This database may have rendered and forgotten the session before
 * the gateway restored the session from a backup. The settled posts of that time are deleted, because their ids
 * could hide new posts. The session's cards stay, so that further events edit them. Closes the session if the
 * database fails.
 */
export async function beginSessionCursor(
	store: Store<ConnectorTables>,
	opened: OpenSession,
): Promise<SessionCursor> {
	if (opened.status === "created") return { seq: 0, replayedTo: 0 };
	try {
		await store.commit((tx) =>
			tx
				.deleteFrom("outbox")
				.where("session", "=", opened.id)
				.where("state", "in", ["confirmed", "dead"])
				.execute(),
		);
	} catch (reason) {
		opened.close();
		throw reason;
	}
	return { seq: 0, replayedTo: opened.lastSeq };
}

/** Limits for parsing a state. Every conversation state is below them. */
const stateLimits = { maxDepth: 64, maxNodes: 1_000_000 };

function readState(text: string): ConversationState | undefined {
	const value = parseJson(text, stateLimits);
	const isStateObject = typeof value === "object" && value !== null && "v" in value;
	// The cast is safe because this version of the program wrote the JSON.
	return isStateObject && value.v === emptyConversation.v
		? (value as unknown as ConversationState)
		: undefined;
}
