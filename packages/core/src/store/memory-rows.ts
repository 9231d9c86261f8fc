import { defined, definedItems, type Engine, hotStatement } from "@parley/base";
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Memory, MemoryReader, MemoryScope } from "../vocabulary/memory.ts";
import type { Person } from "../vocabulary/principal.ts";
import { readTaint } from "../vocabulary/taint.ts";
import { fromRow, type Tx } from "./journal.ts";
import { memoryIndexOf } from "./memory-index.ts";
import { userOf } from "./person-role.ts";
import { searchText } from "./search-words.ts";
import { stamp, type Tables } from "./tables.ts";

/** Inserts a note, unless a note with the same id exists. */
export async function insertMemory(tx: Tx, engine: Engine, memory: Memory): Promise<void> {
	const { id, scope, subject, author, sessionId, taint, text, tags, createdAt } = memory;
	const row = await tx
		.insertInto("memories")
		.values({
			id,
			scope,
			subject,
			author,
			session_id: sessionId ?? null,
			taint,
			text,
			tags: JSON.stringify(tags),
			search_text: searchText(text, tags),
			created_at: createdAt,
			...stamp,
		})
		.onConflict((conflict) => conflict.column("id").doNothing())
		.returning(["n", "search_text"])
		.executeTakeFirst();
	if (row) await memoryIndexOf(engine).add(tx, { n: Number(row.n), text: row.search_text });
}

export async function deleteMemory(tx: Tx, id: string): Promise<void> {
	await tx.deleteFrom("memories").where("id", "=", id).execute();
}

/** Platforms on which a user has one id in all tenants: https://docs.discord.com/developers/reference#snowflakes */
const sameEverywhere: ReadonlySet<string> = new Set(["discord"]);

/**
 * Deletes the notes about a person and the notes that the person wrote. Returns the number of deleted notes. If
 * `anywhere` is given, includes the person's ids in other tenants, if the platform uses one id in all tenants. The same
 * Slack id can name different people in different workspaces: https://docs.slack.dev/reference/objects/user-object
 */
export async function deleteMemoriesOf(
	tx: Tx,
	owner: { readonly id: string } | { readonly anywhere: Person },
): Promise<number> {
	const named = (column: "subject" | "author"): RawBuilder<boolean> => {
		const field = sql.ref(`memories.${column}`);
		if ("id" in owner) return sql<boolean>`${field} = ${owner.id}`;
		const { platform } = owner.anywhere.place;
		if (!sameEverywhere.has(platform)) return sql<boolean>`${field} = ${owner.anywhere.id}`;
		const pattern = [platform, "%", userOf(owner.anywhere).replaceAll(/[\\%_]/g, "\\$&")].join(":");
		return sql<boolean>`${field} like ${pattern} escape '\\'`;
	};
	const filter = sql<boolean>`((scope = 'user' and ${named("subject")}) or ${named("author")})`;
	return (await tx.deleteFrom("memories").where(filter).returning("id").execute()).length;
}

/** Deletes the notes about a person. Returns the number of deleted notes. */
export async function deleteMemoriesAbout(tx: Tx, person: string): Promise<number> {
	const about = tx.deleteFrom("memories").where("scope", "=", "user").where("subject", "=", person);
	return (await about.returning("id").execute()).length;
}

/** Deletes the notes about a channel, but no notes about people. Returns the number of deleted notes. */
export async function deleteMemoriesOfChannel(tx: Tx, channel: string): Promise<number> {
	const ofChannel = tx.deleteFrom("memories").where("scope", "=", "channel").where("subject", "=", channel);
	return (await ofChannel.returning("id").execute()).length;
}

export async function findMemory(db: Tx, id: string): Promise<Memory | undefined> {
	const row = await db.selectFrom("memories").selectAll().where("id", "=", id).executeTakeFirst();
	return row && toMemory(row);
}

export async function countMemories(db: Tx, scope: MemoryScope, subject: string): Promise<number> {
	const row = await db
		.selectFrom("memories")
		.select((eb) => eb.fn.countAll<number>().as("count"))
		.where("scope", "=", scope)
		.where("subject", "=", subject)
		.executeTakeFirstOrThrow();
	return Number(row.count);
}

/**
 * Returns one row of `memories`, or no row if the table is empty. Each run uses the statement to check whether the
 * store has notes, because most stores have no notes.
 */
export const firstMemory = hotStatement<Tables, object, { n: number }>((db) =>
	// With a parameter, SQLite would prepare the statement again at each use.
	db.selectFrom("memories").select("n").limit(sql.lit(1)),
);

/** Selection of notes. All fields restrict the selection, and an absent field restricts nothing. */
export interface MemorySelection {
	/** Reader of the notes. Selects only notes that the reader can read. */
	readonly reader?: MemoryReader;
	readonly scope?: MemoryScope | undefined;
	/** Selects only notes with the person as their subject or their author. */
	readonly person?: string | undefined;
}

/** Returns the SQL condition for the rows of `memories` in a selection. */
export function selected({ reader, scope, person }: MemorySelection): RawBuilder<boolean> {
	const conditions = definedItems([
		reader ? readableBy(reader) : undefined,
		scope === undefined ? undefined : sql<boolean>`memories.scope = ${scope}`,
		person === undefined ? undefined : ofPerson(person),
	]);
	return conditions.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
}

function readableBy({ user, channel }: MemoryReader): RawBuilder<boolean> {
	const scopes = definedItems([
		sql<boolean>`memories.scope = 'everyone'`,
		user === undefined ? undefined : sql<boolean>`(memories.scope = 'user' and memories.subject = ${user})`,
		channel === undefined
			? undefined
			: sql<boolean>`(memories.scope = 'channel' and memories.subject = ${channel})`,
	]);
	return sql<boolean>`(${sql.join(scopes, sql` or `)})`;
}

function ofPerson(person: string): RawBuilder<boolean> {
	return sql<boolean>`((memories.scope = 'user' and memories.subject = ${person}) or memories.author = ${person})`;
}

/** Returns at most `limit` notes from a selection, newest first. */
export async function listMemories(db: Tx, selection: MemorySelection, limit: number): Promise<Memory[]> {
	const rows = await db
		.selectFrom("memories")
		.selectAll()
		.where(selected(selection))
		.orderBy("n", "desc")
		.limit(limit)
		.execute();
	return rows.map(toMemory);
}

export function toMemory(row: Omit<Selectable<Tables["memories"]>, "epoch" | "v">): Memory {
	const { id, scope, subject, author, session_id, taint, text, tags } = row;
	return {
		id,
		scope,
		subject,
		author,
		text,
		...defined({ sessionId: session_id ?? undefined }),
		taint: readTaint(taint),
		tags: fromRow<string[]>(tags),
		createdAt: Number(row.created_at),
	};
}
