import type { Engine } from "@parley/base";
import { type RawBuilder, sql } from "kysely";
import { folded } from "./search-texts.ts";

/** The index knows sequences of three characters; shorter words are looked for in the texts themselves. */
const shortestIndexed = 3;
/** More words than anybody remembers do not find more. */
const mostWords = 10;

/** The conditions that a row of `sessions` meets which holds all words of the query, each anywhere in it. */
export function conditionsOf(query: string, engine: Engine): RawBuilder<boolean>[] {
	const words = [...new Set(folded(query).split(/\s+/u))].filter((word) => word !== "");
	return words.slice(0, mostWords).map((word) => {
		const indexed = engine === "sqlite" && [...word].length >= shortestIndexed;
		const texts = indexed ? inIndex(word) : inTexts(word);
		return sql<boolean>`sessions.id in (select session_id from search_texts where ${texts})`;
	});
}

/** Quoted, so that nothing in it is an operator: https://www.sqlite.org/fts5.html#full_text_query_syntax */
function inIndex(word: string): RawBuilder<boolean> {
	const phrase = `"${word.replaceAll('"', '""')}"`;
	return sql<boolean>`id in (select rowid from search_index where search_index match ${phrase})`;
}

function inTexts(word: string): RawBuilder<boolean> {
	const pattern = `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`;
	return sql<boolean>`text like ${pattern} escape '\\'`;
}
