import { hotChange, hotStatement, ParleyError, parseJson } from "@parley/base";
import type { Kysely } from "kysely";
import { isLane, type Lane } from "../platform/lane.ts";
import type { ConnectorTables, DeliveryState } from "../store/tables.ts";
import { isOpen } from "../store/tables.ts";
import { postTexts } from "../texts/posts.ts";
import type { OpenRow } from "./open-row.ts";

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

/** Returns the unsettled rows of a conversation, in order of planning. */
export async function readOpenOf(tx: Tx, conversation: string): Promise<OpenRow[]> {
	return (await selectOpenOf(tx, { conversation })).map(toOpenRow);
}

/** Returns all unsettled rows, in order of planning. */
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
		throw new ParleyError(`row ${id} was read as open, but its state is "${state}"`, { code: "internal" });
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
	throw new ParleyError(
		`the outbox contains a row of the unknown lane "${text}": use a newer version of Parley`,
		{
			code: "data_loss",
		},
	);
}

export interface DeliveryTransition {
	readonly id: string;
	/** Expected state of the row. In another state, the row is not changed. */
	readonly from: DeliveryState;
	readonly to: DeliveryState;
	readonly attempts: number;
	readonly reason: string | null;
	readonly remote: string | null;
	readonly now: number;
}

/** Transition of a row before its request. */
export interface Attempt extends DeliveryTransition {
	readonly sentAt: number | null;
}

function updateState(
	db: Tx,
	p: <Name extends keyof DeliveryTransition>(name: Name) => DeliveryTransition[Name],
) {
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
const settle = hotChange<ConnectorTables, DeliveryTransition>(updateState);

interface AttemptedRow {
	/** Card of the post; null for a post that is never edited. */
	readonly card: string | null;
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

/** Content of a row for the surface. The rows in memory do not contain it. */
export interface Content {
	/** Posting in the format of the surface. */
	readonly payload: unknown;
	readonly target: string | undefined;
}

/**
 * Changes the state of a row, and stores the post of its card. Returns false if the row is no longer in the expected state.
 */
export async function settleRow(tx: Tx, step: DeliveryTransition, card: string | null): Promise<boolean> {
	if ((await settle(tx, step)) === 0) return false;
	if (card !== null && step.remote) {
		await upsertCard(tx, { card, remote: step.remote, now: step.now });
	}
	return true;
}

/** Marks a row as attempted and resolves with its content; undefined if the row is no longer in the expected state. */
export async function attemptRow(tx: Tx, step: Attempt): Promise<Content | undefined> {
	const [moved] = await attempt(tx, step);
	return moved && { payload: parseJson(moved.payload), target: await readCard(tx, moved.card) };
}

/**
 * Makes the next attempt of a row create a new post, because the post of the row's card no longer exists. The row's
 * id identifies the new post, instead of the `key` of the row's posting.
 */
export async function postReplacement(
	tx: Tx,
	row: { readonly id: string; readonly card: string },
	now: number,
): Promise<void> {
	const content = await readContent(tx, row.id);
	if (content === undefined) return;
	await tx.deleteFrom("cards").where("card", "=", row.card).execute();
	await tx
		.updateTable("outbox")
		.set({ payload: JSON.stringify(withoutKey(content.payload)), state: "planned", changed_at: now })
		.where("id", "=", row.id)
		.execute();
}

function withoutKey(payload: unknown): unknown {
	if (typeof payload !== "object" || payload === null) return payload;
	const { key: _, ...left }: { readonly [name: string]: unknown } = { ...payload };
	return left;
}

/**
 * Returns the `key` that identifies a post, if several rows may create the post. Returns undefined if only one row
 * creates the post.
 */
export function keyOf(payload: unknown): string | undefined {
	const { key }: { readonly key?: unknown } = typeof payload === "object" && payload !== null ? payload : {};
	return typeof key === "string" ? key : undefined;
}

/** Whether a row contains the final content of an answer's post, instead of a growing state. */
export function isCompleteAnswer({ payload }: Content): boolean {
	const isGrowing = typeof payload === "object" && payload !== null && "live" in payload;
	return keyOf(payload) !== undefined && !isGrowing;
}

const selectPostsOfAnswer = hotStatement<
	ConnectorTables,
	{ card: string; after: string; before: string },
	{ card: string }
>((db, p) =>
	db
		.selectFrom("cards")
		.select("card")
		.where((where) =>
			where.or([
				where("card", "=", p("card")),
				where.and([where("card", ">", p("after")), where("card", "<", p("before"))]),
			]),
		),
);

/** Returns the cards of an answer's existing posts. `card` is the card of the answer's first post. */
export async function readPostsOfAnswer(db: Tx, card: string): Promise<string[]> {
	// The cards are adjacent, because the digit 0 follows the slash in the order of characters.
	const rows = await selectPostsOfAnswer(db, { card, after: `${card}/`, before: `${card}0` });
	return rows.map((row) => row.card);
}

export async function readCard(db: Tx, card: string | null): Promise<string | undefined> {
	if (card === null) return;
	const [known] = await selectCard(db, { card });
	return known?.remote;
}

export async function readContent(db: Tx, id: string): Promise<Content | undefined> {
	const row = await db
		.selectFrom("outbox")
		.select(["payload", "card"])
		.where("id", "=", id)
		.executeTakeFirst();
	return row && { payload: parseJson(row.payload), target: await readCard(db, row.card) };
}

/** Marks interrupted requests of the last process as unknown: they may have arrived. */
export async function markAttemptedUnknown(tx: Tx, now: number): Promise<void> {
	await tx
		.updateTable("outbox")
		.set({ state: "unknown", reason: postTexts.interrupted, changed_at: now })
		.where("state", "=", "attempted")
		.execute();
}
