import { hotChange, hotStatement, ParleyError, parseJson } from "@parley/base";
import type { Kysely } from "kysely";
import { isLane, type Lane } from "../platform/lane.ts";
import type { ConnectorTables, DeliveryState } from "../store/tables.ts";
import { isOpen } from "../store/tables.ts";
import type { OpenRow } from "./open-row.ts";

/** The statements on the path of every post, compiled once per engine. */

type Tx = Kysely<ConnectorTables>;

interface OpenRecord {
	readonly id: string;
	readonly position: number;
	readonly conversation: string;
	readonly session: string;
	readonly seq: number;
	readonly lane: string;
	readonly card: string | null;
	readonly state: DeliveryState;
	readonly attempts: number;
	readonly sent_at: number | null;
	readonly reason: string | null;
	readonly at: number;
	readonly target: string | null;
}

const columns = [
	"outbox.id" as const,
	"outbox.position" as const,
	"outbox.conversation" as const,
	"outbox.session" as const,
	"outbox.seq" as const,
	"outbox.lane" as const,
	"outbox.card" as const,
	"outbox.state" as const,
	"outbox.attempts" as const,
	"outbox.sent_at" as const,
	"outbox.reason" as const,
	"outbox.at" as const,
	"cards.remote as target" as const,
];

const selectOpenOf = hotStatement<ConnectorTables, { conversation: string }, OpenRecord>((db, p) =>
	db
		.selectFrom("outbox")
		.leftJoin("cards", "cards.card", "outbox.card")
		.select(columns)
		.where("outbox.conversation", "=", p("conversation"))
		.where(isOpen)
		.orderBy("outbox.position"),
);

/** What is not settled of one conversation, in the order in which it was planned. */
export async function readOpenOf(tx: Tx, conversation: string): Promise<OpenRow[]> {
	return (await selectOpenOf(tx, { conversation })).map(toOpenRow);
}

/** What is not settled of all, in the order in which it was planned. */
export async function readOpen(tx: Tx): Promise<OpenRow[]> {
	const rows = await tx
		.selectFrom("outbox")
		.leftJoin("cards", "cards.card", "outbox.card")
		.select(columns)
		.where(isOpen)
		.orderBy("outbox.position")
		.execute();
	return rows.map(toOpenRow);
}

function toOpenRow(record: OpenRecord): OpenRow {
	const { id, position, conversation, card, state, attempts, reason, at } = record;
	if (state === "confirmed" || state === "dead") {
		throw new ParleyError(`row ${id} is ${state} and was read as open`, { code: "internal" });
	}
	return {
		id,
		position,
		conversation,
		card,
		state,
		attempts,
		reason,
		at,
		message: `${record.session}/${record.seq}`,
		sentAt: record.sent_at,
		lane: laneOf(record.lane),
		edits: record.target !== null,
	};
}

export function laneOf(text: string): Lane {
	if (isLane(text)) return text;
	throw new ParleyError(`the outbox holds a row of the lane "${text}", which this program does not know`, {
		code: "data_loss",
	});
}

/** Where a row goes from where. */
export interface Step {
	readonly id: string;
	/** Nothing is changed where the row is not there any more. */
	readonly from: DeliveryState;
	readonly to: DeliveryState;
	readonly attempts: number;
	readonly reason: string | null;
	readonly remote: string | null;
	readonly now: number;
}

/** The step of a row whose request is about to leave. */
export interface Attempt extends Step {
	readonly sentAt: number | null;
}

function updateState(db: Tx, p: <Name extends keyof Step>(name: Name) => Step[Name]) {
	return db
		.updateTable("outbox")
		.set({
			state: p("to"),
			attempts: p("attempts"),
			reason: p("reason"),
			remote: p("remote"),
			changed_at: p("now"),
		})
		.where("id", "=", p("id"))
		.where("state", "=", p("from"));
}
const settle = hotChange<ConnectorTables, Step>(updateState);

interface AttemptedRow {
	/** Null for a post that is never edited. */
	readonly card: string | null;
	/** JSON. */
	readonly payload: string;
}

const attempt = hotStatement<ConnectorTables, Attempt, AttemptedRow>((db, p) =>
	updateState(db, p)
		.set({ sent_at: p("sentAt") })
		.returning(["card", "payload"]),
);

const upsertCard = hotStatement<ConnectorTables, { card: string; remote: string; now: number }>((db, p) =>
	db
		.insertInto("cards")
		.values({ card: p("card"), remote: p("remote"), changed_at: p("now") })
		.onConflict((conflict) =>
			conflict.column("card").doUpdateSet({ remote: p("remote"), changed_at: p("now") }),
		),
);

const selectCard = hotStatement<ConnectorTables, { card: string }, { remote: string }>((db, p) =>
	db.selectFrom("cards").select("remote").where("card", "=", p("card")),
);

/** What a surface must be told of a row besides what is known of it in memory. */
export interface Content {
	/** As the surface gets it. */
	readonly payload: unknown;
	readonly target: string | undefined;
}

/** Moves a row on, with its card where it was posted; false where it is not in that state any more. */
export async function settleRow(tx: Tx, step: Step, card: string | null): Promise<boolean> {
	if ((await settle(tx, step)) === 0) return false;
	if (card !== null && step.to === "confirmed" && step.remote !== null) {
		await upsertCard(tx, { card, remote: step.remote, now: step.now });
	}
	return true;
}

/** Moves a row that is going to be sent; undefined where it is not in that state any more. */
export async function attemptRow(tx: Tx, step: Attempt): Promise<Content | undefined> {
	const [moved] = await attempt(tx, step);
	return moved && { payload: parseJson(moved.payload), target: await readCard(tx, moved.card) };
}

export async function readCard(db: Tx, card: string | null): Promise<string | undefined> {
	if (card === null) return;
	const [known] = await selectCard(db, { card });
	return known?.remote;
}

/** What a row shows, without moving it. */
export async function readContent(db: Tx, id: string): Promise<Content | undefined> {
	const row = await db
		.selectFrom("outbox")
		.select(["payload", "card"])
		.where("id", "=", id)
		.executeTakeFirst();
	return row && { payload: parseJson(row.payload), target: await readCard(db, row.card) };
}

/** Whatever was on its way when the process ended may have arrived. */
export async function doubtAttempted(tx: Tx, now: number): Promise<void> {
	await tx
		.updateTable("outbox")
		.set({ state: "unknown", reason: "the connector ended during the request", changed_at: now })
		.where("state", "=", "attempted")
		.execute();
}
