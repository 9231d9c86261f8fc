import { defined, hotStatement, parseJson } from "@parley/base";
import { type Kysely, sql } from "kysely";
import { Person } from "../platform/inbound-event.ts";
import type { Reason } from "../platform/is-for-us.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { messageTexts } from "../texts/messages.ts";

type Tx = Kysely<ConnectorTables>;

/** Stored result of a message. */
export type Effect = keyof typeof messageTexts.effects;

/** Record of a message: the reason why it was for the agent or not, and its result. */
export interface MessageRecord {
	/** Id of the inbound event. */
	readonly id: string;
	readonly message: string;
	readonly conversation: string;
	readonly reason: Reason;
	readonly effect: Effect;
	readonly person: Person;
	/** Time of the message, in milliseconds since the epoch. */
	readonly at: number;
	/** Text of the message after its edit, if the edit was not sent to the agent. */
	readonly text?: string;
	readonly session?: string;
	readonly run?: string;
}

type Row = Omit<ConnectorTables["heard"], "id"> & { readonly id: string };

const upsert = hotStatement<ConnectorTables, Row>((db, p) => {
	const row = {
		message: p("message"),
		conversation: p("conversation"),
		reason: p("reason"),
		effect: p("effect"),
		person: p("person"),
		at: p("at"),
		text: p("text"),
		session: p("session"),
		run: p("run"),
		changed_at: p("changed_at"),
	};
	return db
		.insertInto("heard")
		.values({ id: p("id"), ...row })
		.onConflict((conflict) => conflict.column("id").doUpdateSet(row));
});

export async function writeMessageRecord(tx: Tx, record: MessageRecord, now: number): Promise<void> {
	const { id, message, conversation, reason, effect, at } = record;
	const { text = null, session = null, run = null } = record;
	const person = JSON.stringify(record.person);
	const row = { id, message, conversation, reason, effect, person, at, text, session, run, changed_at: now };
	await upsert(tx, row);
}

/** Returns up to `limit` records that match the filter, the newest first. */
export async function readMessageRecords(
	db: Tx,
	filter: {
		readonly conversation?: string;
		/**
		 * Prefix of further conversations to include, for platforms on which the conversation of a thread begins
		 * with the channel.
		 */
		readonly below?: string;
		readonly message?: string | undefined;
		/** End of the message id, without `%` and `_`. */
		readonly ending?: string | undefined;
		readonly limit: number;
	},
): Promise<MessageRecord[]> {
	const { conversation, below, message, ending, limit } = filter;
	let query = db.selectFrom("heard").selectAll();
	if (conversation !== undefined) {
		query = query.where((eb) => {
			const isHere = eb("conversation", "=", conversation);
			if (below === undefined) return isHere;
			return eb.or([isHere, eb(sql<string>`substr(conversation, 1, ${sql.lit(below.length)})`, "=", below)]);
		});
	}
	if (message !== undefined) query = query.where("message", "=", message);
	if (ending !== undefined) query = query.where("message", "like", `%${ending}`);
	const rows = await query
		.orderBy("at", "desc")
		.orderBy("changed_at", "desc")
		// In the same millisecond, an edit is newer than a message. The ids of messages begin with `message:`.
		.orderBy(sql`case when id like 'message:%' then 1 else 0 end`)
		.orderBy("id", "desc")
		.limit(limit)
		.execute();
	return rows.flatMap(recordOf);
}

const selectNewest = hotStatement<
	ConnectorTables,
	{ conversation: string; message: string },
	{ id: string; at: number }
>((db, p) =>
	db
		.selectFrom("heard")
		.select(["id", "at"])
		.where("conversation", "=", p("conversation"))
		.where("message", "=", p("message"))
		.orderBy("at", "desc")
		.orderBy("changed_at", "desc")
		.limit(sql.lit(1)),
);

/**
 * Returns the newest inbound event of a message, with its time; undefined if no event of the message is
 * stored.
 */
export async function newestEventOf(
	db: Tx,
	message: { readonly conversation: string; readonly message: string },
): Promise<{ readonly id: string; readonly at: number } | undefined> {
	const [newest] = await selectNewest(db, message);
	return newest && { id: newest.id, at: Number(newest.at) };
}

/** Whether the result of an inbound event is stored. */
export async function isRecorded(db: Tx, id: string): Promise<boolean> {
	const row = await db.selectFrom("heard").select("id").where("id", "=", id).executeTakeFirst();
	return row !== undefined;
}

const selectStops = hotStatement<
	ConnectorTables,
	{ conversation: string; since: number },
	{ person: string }
>((db, p) =>
	db
		.selectFrom("heard")
		.select("person")
		.where("conversation", "=", p("conversation"))
		// The value is a literal, so that the planner can use the index `heard_stops`.
		.where("effect", "=", sql.lit("nothing-to-stop" satisfies Effect))
		.where("at", ">", p("since")),
);

/**
 * Whether a person stopped a conversation after `since` while no run was active. With `by`, only stops by the
 * person with this id apply.
 */
export async function wasStopped(
	db: Tx,
	{
		conversation,
		since,
		by,
	}: { readonly conversation: string; readonly since: number; readonly by?: string },
): Promise<boolean> {
	const rows = await selectStops(db, { conversation, since });
	return rows.some(({ person }) => by === undefined || Person.parse(parseJson(person)).id === by);
}

/** Converts a row to a record. Skips the row if this version of Parley does not know its reason or its effect. */
function recordOf({
	person,
	text,
	session,
	run,
	reason,
	effect,
	changed_at: _,
	...row
}: Row): MessageRecord[] {
	if (!isReason(reason) || !isEffect(effect)) return [];
	return [
		{
			...row,
			at: Number(row.at),
			reason,
			effect,
			person: Person.parse(parseJson(person)),
			...defined({
				text: text ?? undefined,
				session: session ?? undefined,
				run: run ?? undefined,
			}),
		},
	];
}

function isReason(text: string): text is Reason {
	return Object.hasOwn(messageTexts.reasons, text);
}

function isEffect(text: string): text is Effect {
	return Object.hasOwn(messageTexts.effects, text);
}
