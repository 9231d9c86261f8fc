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

/** Inserts a note, unless one with this id exists. */
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

/** Platforms on which one user has the same id in all tenants: https://docs.discord.com/developers/reference#snowflakes */
const sameEverywhere: ReadonlySet<string> = new Set(["discord"]);

/**
 * Deletes the notes about a person and the notes by that person. Returns their number. If `anywhere` is given, includes
 * all ids that certainly belong to the person. The same Slack id can name different people in different workspaces:
 * https://docs.slack.dev/reference/objects/user-object
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

/** Deletes the notes about a person. Returns their number. */
export async function deleteMemoriesAbout(tx: Tx, person: string): Promise<number> {
	const about = tx.deleteFrom("memories").where("scope", "=", "user").where("subject", "=", person);
	return (await about.returning("id").execute()).length;
}

/** Deletes the notes of a channel, except notes about people. Returns their number. */
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
 * Returns a row of `memories`, or no row if the table is empty. Each run makes this check, and most stores have no
 * notes.
 */
export const firstMemory = hotStatement<Tables, object, { n: number }>((db) =>
	// With a parameter, SQLite would prepare the statement again at each use.
	db.selectFrom("memories").select("n").limit(sql.lit(1)),
);

/** Selection of notes: the notes of a reader or all notes, optionally restricted by scope and person. */
export interface MemorySelection {
	/** Reader who can read the selected notes. Absent for all notes. */
	readonly reader?: MemoryReader;
	readonly scope?: MemoryScope | undefined;
	/** Person who is the subject or the author of the selected notes. */
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

/** Returns at most `limit` notes of a selection, newest first. */
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
