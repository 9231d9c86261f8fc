import { hotStatement, ParleyError } from "@parley/base";
import type { Kysely } from "kysely";
import type { ConnectorTables, DeliveryState } from "../store/tables.ts";
import { type Lane, rankOf } from "./lane.ts";
import { laneOf, readCard } from "./statements.ts";

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
	/** `SEQ/INDEX` of a row of an earlier event that was not planned and that it stands for: it gets the id of that one. */
	readonly standsFor?: string;
	/** Why it must wait for a person's decision. */
	readonly hold?: string;
}

/** What some events of a session call for. */
export interface Plan {
	/** What keeps its order: a channel, a thread, a DM. */
	readonly conversation: string;
	/** The newest of the events, whether it calls for a post or not. */
	readonly cursor: { readonly session: string; readonly seq: number };
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
	readonly reason: string | null;
	readonly now: number;
}

const insertRow = hotStatement<ConnectorTables, Insertion>((db, p) =>
	db
		.insertInto("outbox")
		.values({
			...{ id: p("id"), session: p("session"), seq: p("seq"), conversation: p("conversation") },
			...{ lane: p("lane"), card: p("card"), payload: p("payload"), at: p("at"), state: p("state") },
			...{ attempts: 0, reason: p("reason"), remote: null, changed_at: p("now") },
		})
		.onConflict((conflict) => conflict.column("id").doNothing()),
);

const selectCursor = hotStatement<ConnectorTables, { session: string }, { seq: number }>((db, p) =>
	db.selectFrom("cursors").select("seq").where("session", "=", p("session")),
);

const upsertCursor = hotStatement<
	ConnectorTables,
	{ session: string; conversation: string; seq: number; now: number }
>((db, p) =>
	db
		.insertInto("cursors")
		.values({
			...{ session: p("session"), conversation: p("conversation") },
			...{ seq: p("seq"), changed_at: p("now") },
		})
		.onConflict((conflict) =>
			conflict
				.column("session")
				.doUpdateSet({ conversation: p("conversation"), seq: p("seq"), changed_at: p("now") }),
		),
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

/** The newest event of a session whose posts are planned; 0 before the first. */
export async function readCursor(db: Tx, session: string): Promise<number> {
	const [cursor] = await selectCursor(db, { session });
	return cursor?.seq ?? 0;
}

/** Plans in the transaction of `tx`. See `Outbox.plan`. */
export async function planRows(tx: Tx, plan: Plan, now: number): Promise<void> {
	const { conversation, cursor } = plan;
	const { session, seq } = cursor;
	const planned = await readCursor(tx, session);
	if (seq < planned) {
		throw new ParleyError(
			`the posts of session ${session} are planned up to event ${planned}: do not go back to event ${seq}`,
			{ code: "failed_precondition" },
		);
	}
	for (const { row, place } of numbered(plan)) {
		if (row.seq <= planned) continue;
		const { lane, at, hold } = row;
		const payload = JSON.stringify(row.payload);
		const card = row.card ?? null;
		if (hold === undefined && (await mergeIntoCard(tx, { card, payload, lane, at, now }))) continue;
		const state = hold === undefined ? (plan.replayed ? "unknown" : "planned") : "held";
		await insertRow(tx, {
			...{ id: `${session}/${place}`, session, seq: row.seq },
			conversation: row.conversation ?? conversation,
			...{ lane, card, payload, at, state, reason: hold ?? null, now },
		});
	}
	await upsertCursor(tx, { session, conversation, seq, now });
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
