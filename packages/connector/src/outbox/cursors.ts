import { defined, hotChange, hotStatement, ParleyError } from "@parley/base";
import type { Kysely } from "kysely";
import type { ConnectorTables } from "../store/tables.ts";

type Tx = Kysely<ConnectorTables>;

/** Position in a session up to which all posts are planned. */
export interface Cursor {
	readonly session: string;
	readonly seq: number;
	/** Expected previous position of the cursor. If it is correct, the position is not read before the cursor moves. */
	readonly after?: number;
}

/**
 * Stored state of a session, as JSON in `state`. `replayedTo` is the `seq` of the last event for which a connector
 * with another database may have sent posts.
 */
export interface StoredConversation {
	readonly state: string;
	readonly replayedTo: number;
	readonly externalKey: string;
}

interface Move {
	readonly session: string;
	readonly conversation: string;
	readonly seq: number;
	readonly now: number;
	/** Expected position of the cursor, if `isKnown`. */
	readonly after: number;
	/** State to store, if `hasState`. */
	readonly state: string | null;
	readonly replayedTo: number;
	readonly externalKey: string | null;
}

const selectCursor = hotStatement<ConnectorTables, { session: string }, { seq: number }>((db, p) =>
	db.selectFrom("cursors").select("seq").where("session", "=", p("session")),
);

/**
 * Returns the statement that stores a position of a cursor. With `isKnown`, the statement changes nothing if the
 * cursor is at another position than `after`.
 */
function upsertCursor({ hasState, isKnown }: { readonly hasState: boolean; readonly isKnown: boolean }) {
	return hotChange<ConnectorTables, Move>((db, p) => {
		const state = hasState
			? { state: p("state"), replayed_to: p("replayedTo"), external_key: p("externalKey") }
			: {};
		const moved = { conversation: p("conversation"), seq: p("seq"), changed_at: p("now"), ...state };
		return db
			.insertInto("cursors")
			.values({ session: p("session"), ...moved })
			.onConflict((conflict) => {
				const update = conflict.column("session").doUpdateSet((eb) => ({
					conversation: eb.ref("excluded.conversation"),
					seq: eb.ref("excluded.seq"),
					changed_at: eb.ref("excluded.changed_at"),
					...defined({
						state: hasState ? eb.ref("excluded.state") : undefined,
						replayed_to: hasState ? eb.ref("excluded.replayed_to") : undefined,
						external_key: hasState ? eb.ref("excluded.external_key") : undefined,
					}),
				}));
				return isKnown ? update.where("cursors.seq", "=", p("after")) : update;
			});
	});
}

const upserts = {
	known: {
		bare: upsertCursor({ hasState: false, isKnown: true }),
		withState: upsertCursor({ hasState: true, isKnown: true }),
	},
	read: {
		bare: upsertCursor({ hasState: false, isKnown: false }),
		withState: upsertCursor({ hasState: true, isKnown: false }),
	},
};

/** Returns the `seq` of the newest planned event of a session, or 0 if no event of the session is planned. */
export async function readCursor(db: Tx, session: string): Promise<number> {
	const [cursor] = await selectCursor(db, { session });
	return cursor?.seq ?? 0;
}

/** Moves a cursor and resolves with its previous position. Rejects with `failed_precondition` if the cursor would move back. */
export async function moveCursor(
	tx: Tx,
	moved: {
		readonly conversation: string;
		readonly cursor: Cursor;
		readonly stored?: StoredConversation | undefined;
	},
	now: number,
): Promise<number> {
	const { conversation, cursor, stored } = moved;
	const { session, seq, after } = cursor;
	const kind = stored ? "withState" : "bare";
	const noState = { state: null, replayedTo: 0, externalKey: null };
	const move = { session, conversation, seq, now, after: after ?? 0, ...noState, ...stored };
	if (after !== undefined && after < seq) {
		const moved = await upserts.known[kind](tx, move);
		if (moved > 0) return after;
	}
	const planned = await readCursor(tx, session);
	if (seq < planned) {
		throw new ParleyError(
			`cannot plan posts of event ${seq} in session ${session}: the posts of this session are already planned up to event ${planned}`,
			{ code: "failed_precondition" },
		);
	}
	await upserts.read[kind](tx, move);
	return planned;
}
