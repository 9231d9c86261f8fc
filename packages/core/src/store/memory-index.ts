import type { Engine } from "@parley/base";
import { type RawBuilder, sql } from "kysely";
import type { Tx } from "./journal.ts";

interface MemoryIndex {
	/**
	 * Adds an inserted note to the index, in the transaction of the insert. Does nothing if a trigger of the database
	 * adds the note.
	 */
	add(tx: Tx, note: { readonly n: number; readonly text: string }): Promise<void>;
	/**
	 * Returns an SQL condition for rows of `memories`: the search text of the note contains the word. The word must have
	 * the spelling of the index (see `searchText`). `few`: whether the query is also restricted to the notes that one
	 * reader can read.
	 */
	contains(word: string, few: boolean): RawBuilder<boolean>;
}

/**
 * Characters of each sequence in an index. For a shorter word, the texts of the notes are searched without the index.
 */
const gramLength = 3;

/**
 * Index of notes on SQLite. Database triggers update the index. A quoted phrase has no operators:
 * https://www.sqlite.org/fts5.html#full_text_query_syntax
 */
const sqliteIndex: MemoryIndex = {
	async add() {},
	contains(word) {
		if ([...word].length < gramLength) return inText(word);
		const phrase = `"${word.replaceAll('"', '""')}"`;
		return sql<boolean>`memories.n in (select rowid from memory_index where memory_index match ${phrase})`;
	},
};

/**
 * Index of notes on PostgreSQL. A query selects rows by trigrams and then searches the text of the selected rows. A row
 * can contain the trigrams of a word without the word.
 */
const postgresIndex: MemoryIndex = {
	async add(tx, { n, text }) {
		await sql`insert into memory_index (n, grams) values (${n}, ${lexemes(gramsOf(text), " ")}::tsvector)`.execute(
			tx,
		);
	},
	contains(word, few) {
		const grams = gramsOf(word);
		// A reader can read at most 1,500 notes. A search in the texts of these notes is faster than a search in the
		// index, because the index contains the notes of all readers.
		if (few || grams.length === 0) return inText(word);
		const query = lexemes(grams, " & ");
		return sql<boolean>`(memories.n in (select n from memory_index where grams @@ ${query}::tsquery) and ${inText(word)})`;
	},
};

export function memoryIndexOf(engine: Engine): MemoryIndex {
	return engine === "sqlite" ? sqliteIndex : postgresIndex;
}

function inText(word: string): RawBuilder<boolean> {
	const pattern = `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`;
	return sql<boolean>`memories.search_text like ${pattern} escape '\\'`;
}

function gramsOf(text: string): string[] {
	const characters = [...text];
	const grams = new Set<string>();
	for (let at = 0; at + gramLength <= characters.length; at++) {
		grams.add(characters.slice(at, at + gramLength).join(""));
	}
	return [...grams];
}

/** Quotes each trigram, with quotes and backslashes doubled: https://www.postgresql.org/docs/current/datatype-textsearch.html */
function lexemes(grams: readonly string[], between: string): string {
	return grams.map((gram) => `'${gram.replaceAll(/['\\]/g, "$&$&")}'`).join(between);
}
