import { hotInsert, hotStatement, ParleyError } from "@parley/base";
import type { Kysely } from "kysely";
import { type Lane, rankOf } from "../platform/lane.ts";
import type { ConnectorTables, DeliveryState } from "../store/tables.ts";
import { attemptOf, type Claims } from "./claims.ts";
import { type Cursor, moveCursor, type StoredConversation } from "./cursors.ts";
import { type OpenRow, unblocked } from "./open-row.ts";
import type { Draft } from "./open-rows.ts";
import { attemptRow, laneOf, readCard, readOpenOf } from "./statements.ts";

/** One post, edit or other request of an event. */
export interface PlannedRow {
	/** Number of the event in its session. */
	readonly seq: number;
	/** Time of the event in milliseconds since the epoch. */
	readonly at: number;
	readonly lane: Lane;
	/**
	 * Conversation in which the row is posted in order, for example the conversation of a task's thread. Default:
	 * the plan's conversation.
	 */
	readonly conversation?: string;
	/**
	 * Card of the row. The first row of a card creates the post, and later rows edit it. Required in the lane `progress`.
	 * Unique among all conversations.
	 */
	readonly card?: string;
	/** Content of the row: any JSON value. */
	readonly payload: unknown;
	/**
	 * Replacement for `SEQ/INDEX` in the row's id: the position of an unplanned earlier row, or another unique text if no
	 * event was recorded.
	 */
	readonly standsFor?: string;
	/** Whether a connector with another database may have posted the row. Default: `replayed` of the plan. */
	readonly doubtful?: true;
	/** Reason why the row waits for a person's decision. Absent: the row does not wait. */
	readonly decisionReason?: string;
}

/** Posts and edits of some events of a session. */
export interface Plan {
	/** Conversation in which posts are sent in order: a channel, a thread or a direct message. */
	readonly conversation: string;
	/** Position of the newest event, with or without posts. */
	readonly cursor: Cursor;
	/** State of the session after the newest event. */
	readonly stored?: StoredConversation;
	/** Rows in order. If the list contains a row of an event, it contains all rows of this event. */
	readonly rows: readonly PlannedRow[];
	/**
	 * Whether a connector with another database may have posted the events. The platform is then searched before a post is
	 * sent.
	 */
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

/** Stores a row. Returns its position, or undefined if the row exists. */
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

/**
 * Plans rows in the transaction `tx`, and moves the claimed rows to `attempted` in the same transaction. See
 * `Outbox.plan`.
 */
export async function planRows(tx: Tx, plan: Plan, planning: Planning): Promise<void> {
	const places = numbered(plan);
	const planned = await moveCursor(tx, plan, planning.now);
	// A card may change other rows, so the rows of the conversation must be read again.
	const areAlone = plan.rows.every(({ card }) => card === undefined);
	const left = new Set<string>();
	for (const { row, place } of places) {
		if (row.seq <= planned) continue;
		const newRow = rowOf(plan, row, place);
		const { conversation } = newRow;
		if (!areAlone) {
			await insertOrMerge(tx, newRow, row.payload, planning.now);
			left.add(conversation);
		} else if (!(await planAlone(tx, newRow, row.payload, planning))) {
			await claimIn(tx, conversation, planning);
		}
	}
	for (const conversation of left) await claimIn(tx, conversation, planning);
}

type NewRow = Omit<OpenRow, "position"> & { readonly session: string; readonly seq: number };

function rowOf({ conversation, cursor, replayed }: Plan, row: PlannedRow, place: string): NewRow {
	const { session } = cursor;
	const { seq, at, lane, card = null, decisionReason, doubtful = replayed } = row;
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
		reason: decisionReason ?? null,
		edits: false,
		state: decisionReason === undefined ? (doubtful ? "unknown" : "planned") : "held",
	};
}

/**
 * Plans a post without a card. Such a post changes no other row and needs no read. Returns false if the row exists.
 */
async function planAlone(
	tx: Tx,
	newRow: NewRow,
	payload: unknown,
	{ draft, claims, now }: Planning,
): Promise<boolean> {
	const { session, seq, ...known } = newRow;
	const { conversation, attempts } = known;
	const earlier = draft.of(conversation);
	const next: OpenRow = { ...known, position: Number.POSITIVE_INFINITY };
	const isSent = unblocked([...earlier, next]).includes(next) && claims.claim(next);
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

async function insertOrMerge(tx: Tx, row: NewRow, payload: unknown, now: number): Promise<void> {
	const { edits: _, message: __, ...written } = row;
	const { card, lane, at, state } = row;
	const newer = { card, payload: JSON.stringify(payload), lane, at, now };
	if (state !== "held" && (await mergeIntoCard(tx, newer))) return;
	await insertRow(tx, { ...written, payload: newer.payload, now });
}

async function claimIn(tx: Tx, conversation: string, { draft, claims, now }: Planning): Promise<void> {
	const rows = await readOpenOf(tx, conversation);
	const left = [...rows];
	for (const row of unblocked(rows)) {
		if (!claims.claim(row)) continue;
		const step = attemptOf(row, now);
		const content = await attemptRow(tx, step);
		if (content === undefined)
			throw new ParleyError(`cannot read row ${row.id} of the outbox: the row no longer exists`, {
				code: "internal",
			});
		claims.attempt(row, content);
		left[left.indexOf(row)] = { ...row, state: "attempted", attempts: step.attempts, sentAt: step.sentAt };
	}
	draft.set(conversation, left);
}

function numbered({ cursor, rows }: Plan): { readonly row: PlannedRow; readonly place: string }[] {
	const counts = new Map<number, number>();
	return rows.map((row) => {
		if (row.seq > cursor.seq) {
			throw new ParleyError(
				`cannot plan a row of event ${row.seq}, because this event is later than the cursor (event ${cursor.seq}): set the cursor to this event or a later one`,
				{ code: "invalid_argument" },
			);
		}
		if (row.lane === "progress" && row.card === undefined) {
			throw new ParleyError(
				"cannot plan a row of the lane `progress` without a card: set the card that the row edits",
				{
					code: "invalid_argument",
				},
			);
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
 * Merges newer content into the newest waiting row of a card, so that only the newest content is sent. Returns
 * false if the card has no waiting row, or if that row may have created the post. In the second case, a request
 * with the row's nonce would return the older post, and the newer text would be lost.
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
