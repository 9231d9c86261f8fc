import type { Engine } from "@parley/base";
import { type RawBuilder, sql } from "kysely";
import { folded } from "../../store/search-texts.ts";

/** The index knows sequences of three characters; shorter words are looked for in the texts themselves. */
const shortestIndexed = 3;
/** More words than anybody remembers do not find more. */
const mostWords = 10;

/** The conditions that a row of `sessions` meets which holds all words of the query, each anywhere in it. */
export function conditionsOf(query: string, engine: Engine): RawBuilder<boolean>[] {
	const words = [...new Set(folded(query).split(/\s+/u))].filter((word) => word !== "");
	return words.slice(0, mostWords).map((word) => {
		const indexed = engine === "sqlite" && [...word].length >= shortestIndexed;
		return sql<boolean>`sessions.id in (${indexed ? inIndex(word) : inTexts(word)})`;
	});
}

/**
 * Sessions of the texts that the index has, and of the newest, which it does not have yet (`indexInGroups`). The word is
 * quoted, so that nothing in it is an operator: https://www.sqlite.org/fts5.html#full_text_query_syntax
 */
function inIndex(word: string): RawBuilder<unknown> {
	const phrase = `"${word.replaceAll('"', '""')}"`;
	return sql`select session_id from search_texts
			where id in (select rowid from search_index where search_index match ${phrase})
		union all select session_id from search_texts
			where id > coalesce((select rowid from search_index order by rowid desc limit 1), 0)
			and instr(text, ${word}) > 0`;
}

function inTexts(word: string): RawBuilder<unknown> {
	const pattern = `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`;
	return sql`select session_id from search_texts where text like ${pattern} escape '\\'`;
}
