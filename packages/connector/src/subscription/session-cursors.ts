import { defined, hotStatement, parseJson, type Store } from "@parley/base";
import type { OpenSession } from "@parley/protocol";
import type { Kysely } from "kysely";
import { type ConversationState, emptyConversation } from "../conversation/conversation.ts";
import type { ConnectorTables } from "../store/tables.ts";

type Tx = Kysely<ConnectorTables>;

/** How far a session has been told, and what it looked like then. */
export interface SessionCursor {
	/** The newest event whose posts are planned. */
	readonly seq: number;
	/** The last event that another database may have shown already. */
	readonly replayedTo: number;
	/** Undefined where another version of this program wrote it: it is told again, in silence. */
	readonly state?: ConversationState;
}

/** Whether it can be gone on from: of a replay that was cut short the old cards are not written, so it begins again. */
export function isWhole(
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

/** Undefined for a session that this database has never told. */
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

/** How far a session was told, and since when that is so, in milliseconds since the epoch. */
interface Trace {
	readonly seq: number;
	readonly changedAt: number;
	/** Absent where an earlier version of this program told it, or it shows nothing. */
	readonly externalKey?: string;
}

export type Traces = ReadonlyMap<string, Trace>;

/** All sessions that were told. */
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

/** A session that is told from its beginning as if it had never been. */
export async function forgetSessionCursor(tx: Tx, session: string): Promise<void> {
	await tx.deleteFrom("cursors").where("session", "=", session).execute();
}

/**
 * Of a session that this database tells from its beginning. It may have told it before and forgotten it, and the gateway
 * has it again from a copy: what was posted then must not stand for what is posted from here on. Its cards stay, so that
 * what is told of them again edits them. Where that fails, the session is closed.
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

/** As deep and as wide as a conversation can grow. */
const stateLimits = { maxDepth: 64, maxNodes: 1_000_000 };

function readState(text: string): ConversationState | undefined {
	const value = parseJson(text, stateLimits);
	const isOurs = typeof value === "object" && value !== null && "v" in value;
	// True because this program wrote it in this very version: a state is our own JSON.
	return isOurs && value.v === emptyConversation.v ? (value as unknown as ConversationState) : undefined;
}
