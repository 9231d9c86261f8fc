import { hotInsert, hotStatement, ParleyError } from "@parley/base";
import type { Kysely } from "kysely";
import { type Lane, rankOf } from "../platform/lane.ts";
import type { ConnectorTables, DeliveryState } from "../store/tables.ts";
import { attemptOf, type Claims } from "./claims.ts";
import { type Cursor, moveCursor, type StoredConversation } from "./cursors.ts";
import { type OpenRow, unblocked } from "./open-row.ts";
import type { Draft } from "./open-rows.ts";
import { attemptRow, laneOf, readCard, readOpenOf } from "./statements.ts";

/** One post or edit that an event calls for. */
export interface PlannedRow {
	/** The event's place in its session. */
	readonly seq: number;
	/** When the event happened, in milliseconds since the epoch. */
	readonly at: number;
	readonly lane: Lane;
	/** What keeps its order, instead of the plan's conversation: the thread of a task. */
	readonly conversation?: string;
	/** Its first row posts it, later ones edit it. Needed in the lane `progress`. Unique among all conversations. */
	readonly card?: string;
	/** Anything that JSON can hold. */
	readonly payload: unknown;
	/**
	 * `SEQ/INDEX` of a row of an earlier event that was not planned and that it stands for: it gets the id of that one.
	 * Something else where no recorded event has its place.
	 */
	readonly standsFor?: string;
	/** Why it must wait for a person's decision. */
	readonly hold?: string;
}

/** What some events of a session call for. */
export interface Plan {
	/** What keeps its order: a channel, a thread, a DM. */
	readonly conversation: string;
	/** The newest of the events, whether it calls for a post or not. */
	readonly cursor: Cursor;
	/** What the session looks like after that. */
	readonly stored?: StoredConversation;
	/** In order; all rows of one event together. */
	readonly rows: readonly PlannedRow[];
	/** The events may have been shown before this database was made: nothing is posted before somebody has looked. */
	readonly replayed?: boolean;
}

type Tx = Kysely<ConnectorTables>;

interface Insertion {
	readonly id: string;
	readonly session: string;
	readonly seq: number;
	readonly conversation: string;
	readonly lane: Lane;
	readonly card: string | null;
	readonly payload: string;
	readonly at: number;
	readonly state: DeliveryState;
	readonly attempts: number;
	readonly sentAt: number | null;
	readonly reason: string | null;
	readonly now: number;
}

/** Resolves with its position, and with nothing where that row is there already. */
const insertRow = hotInsert<ConnectorTables, Insertion, "outbox">("position", (db, p) =>
	db
		.insertInto("outbox")
		.values({
			id: p("id"),
			session: p("session"),
			seq: p("seq"),
			conversation: p("conversation"),
			lane: p("lane"),
			card: p("card"),
			payload: p("payload"),
			at: p("at"),
			state: p("state"),
			attempts: p("attempts"),
			sent_at: p("sentAt"),
			reason: p("reason"),
			remote: null,
			changed_at: p("now"),
		})
		.onConflict((conflict) => conflict.column("id").doNothing()),
);

interface CardRecord {
	readonly id: string;
	readonly lane: string;
	readonly state: DeliveryState;
	readonly attempts: number;
}

const selectNewestOfCard = hotStatement<ConnectorTables, { card: string }, CardRecord>((db, p) =>
	db
		.selectFrom("outbox")
		.select(["id", "lane", "state", "attempts"])
		.where("card", "=", p("card"))
		.where("state", "in", ["planned", "attempted", "unknown", "held"])
		.orderBy("position", "desc")
		.limit(2),
);

const replacePayload = hotStatement<
	ConnectorTables,
	{ id: string; payload: string; lane: Lane; at: number; now: number }
>((db, p) =>
	db
		.updateTable("outbox")
		.set({ payload: p("payload"), lane: p("lane"), at: p("at"), changed_at: p("now") })
		.where("id", "=", p("id")),
);

interface Planning {
	readonly draft: Draft;
	readonly claims: Claims;
	readonly now: number;
}

/** Plans in the transaction of `tx`, and attempts there what is claimed. See `Outbox.plan`. */
export async function planRows(tx: Tx, plan: Plan, planning: Planning): Promise<void> {
	const places = numbered(plan);
	const planned = await moveCursor(tx, plan, planning.now);
	// A card changes rows that others wait behind, so that those of its event are to be read.
	const areAlone = plan.rows.every(({ card }) => card === undefined);
	const left = new Set<string>();
	for (const { row, place } of places) {
		if (row.seq <= planned) continue;
		const made = rowOf(plan, row, place);
		const { conversation } = made;
		if (!areAlone) {
			await insertOrMerge(tx, made, row.payload, planning.now);
			left.add(conversation);
		} else if (!(await planAlone(tx, made, row.payload, planning))) {
			await claimIn(tx, conversation, planning);
		}
	}
	for (const conversation of left) await claimIn(tx, conversation, planning);
}

/** As it is before it is inserted. */
type Made = Omit<OpenRow, "position"> & { readonly session: string; readonly seq: number };

function rowOf({ conversation, cursor, replayed }: Plan, row: PlannedRow, place: string): Made {
	const { session } = cursor;
	const { seq, at, lane, card = null, hold } = row;
	return {
		id: `${session}/${place}`,
		session,
		seq,
		conversation: row.conversation ?? conversation,
		lane,
		at,
		message: `${session}/${seq}`,
		card,
		attempts: 0,
		sentAt: null,
		reason: hold ?? null,
		edits: false,
		state: hold === undefined ? (replayed ? "unknown" : "planned") : "held",
	};
}

/** A post of its own changes no other row, so that all is known without reading; false where it was there already. */
async function planAlone(
	tx: Tx,
	made: Made,
	payload: unknown,
	{ draft, claims, now }: Planning,
): Promise<boolean> {
	const { session, seq, ...known } = made;
	const { conversation, attempts } = known;
	const earlier = draft.of(conversation);
	const next: OpenRow = { ...known, position: Number.POSITIVE_INFINITY };
	const isSent = unblocked([...earlier, next]).includes(next) && claims.take(next);
	const sent = isSent ? ({ state: "attempted", attempts: attempts + 1, sentAt: now } as const) : {};
	const written = { ...known, session, seq, ...sent, payload: JSON.stringify(payload), now };
	const position = await insertRow(tx, written);
	if (position === undefined) {
		claims.drop(next);
		return false;
	}
	const row: OpenRow = { ...next, position };
	if (isSent) claims.attempt(row, { payload, target: undefined });
	draft.set(conversation, [...earlier, { ...row, ...sent }]);
	return true;
}

async function insertOrMerge(tx: Tx, made: Made, payload: unknown, now: number): Promise<void> {
	const { edits: _, message: __, ...written } = made;
	const { card, lane, at, state } = made;
	const newer = { card, payload: JSON.stringify(payload), lane, at, now };
	if (state !== "held" && (await mergeIntoCard(tx, newer))) return;
	await insertRow(tx, { ...written, payload: newer.payload, now });
}

/** What cards have changed, or was there already, is read anew; what of it can be sent at once is attempted. */
async function claimIn(tx: Tx, conversation: string, { draft, claims, now }: Planning): Promise<void> {
	const rows = await readOpenOf(tx, conversation);
	const left = [...rows];
	for (const row of unblocked(rows)) {
		if (!claims.take(row)) continue;
		const step = attemptOf(row, now);
		const content = await attemptRow(tx, step);
		if (content === undefined) throw new ParleyError(`row ${row.id} is gone`, { code: "internal" });
		claims.attempt(row, content);
		left[left.indexOf(row)] = { ...row, state: "attempted", attempts: step.attempts, sentAt: step.sentAt };
	}
	draft.set(conversation, left);
}

function numbered({ cursor, rows }: Plan): { readonly row: PlannedRow; readonly place: string }[] {
	const counts = new Map<number, number>();
	return rows.map((row) => {
		if (row.seq > cursor.seq) {
			throw new ParleyError(`a row of event ${row.seq} is planned with the cursor at ${cursor.seq}`, {
				code: "invalid_argument",
			});
		}
		if (row.lane === "progress" && row.card === undefined) {
			throw new ParleyError("a row of the lane progress has no card: say which post it edits", {
				code: "invalid_argument",
			});
		}
		if (row.standsFor !== undefined) return { row, place: row.standsFor };
		const index = counts.get(row.seq) ?? 0;
		counts.set(row.seq, index + 1);
		return { row, place: `${row.seq}/${index}` };
	});
}

interface Newer {
	readonly card: string | null;
	readonly payload: string;
	readonly lane: Lane;
	readonly at: number;
	readonly now: number;
}

/**
 * Lets the newest row of a card that waits show what is newer, in its place and in the more urgent of both lanes, so
 * that only the newest is ever sent. Not where that row may have created the post already: then a nonce would bring
 * the older post back, and the newer text would be lost.
 */
async function mergeIntoCard(tx: Tx, { card, payload, lane, at, now }: Newer): Promise<boolean> {
	if (card === null) return false;
	const [newest, earlier] = await selectNewestOfCard(tx, { card });
	if (newest === undefined) return false;
	const isUnsent = newest.state === "planned" && newest.attempts === 0;
	const waits = newest.state === "planned" || newest.state === "unknown";
	const edits = earlier !== undefined || (await readCard(tx, card)) !== undefined;
	if (!isUnsent && !(waits && edits)) return false;
	const older = laneOf(newest.lane);
	const urgent = rankOf(older) < rankOf(lane) ? older : lane;
	await replacePayload(tx, { id: newest.id, payload, lane: urgent, at, now });
	return true;
}
