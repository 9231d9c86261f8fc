import { hotStatement } from "@parley/base";
import type { Tx } from "./journal.ts";
import type { Tables } from "./tables.ts";

/** Maximum indexed characters of one text. Searches rarely need the end of a long log. */
const maxCharacters = 16_384;

/**
 * Returns the normal form of the first `maxCharacters` characters of a text. Texts that differ only in case, character
 * width or ligatures have the same normal form.
 */
export function folded(text: string): string {
	return text.slice(0, maxCharacters).normalize("NFKC").toLowerCase().replaceAll("\0", " ");
}

const insertText = hotStatement<Tables, { sessionId: string; kind: "name" | "message"; text: string }>(
	(db, p) =>
		db
			.insertInto("search_texts")
			.values({ session_id: p("sessionId"), kind: p("kind"), text: p("text"), epoch: 1, v: 1 }),
);

/** Adds message texts to the search index. Ignores blank texts. */
export async function indexMessages(tx: Tx, sessionId: string, texts: readonly string[]): Promise<void> {
	for (const text of texts) {
		if (text.trim() !== "") await insertText(tx, { sessionId, kind: "message", text: folded(text) });
	}
}

/** Removes the previous title and external key of a session from the search index. */
export async function forgetName(tx: Tx, sessionId: string): Promise<void> {
	await tx
		.deleteFrom("search_texts")
		.where("session_id", "=", sessionId)
		.where("kind", "=", "name")
		.execute();
}

/** Adds the title and the external key of a session to the search index. */
export async function indexName(tx: Tx, sessionId: string, names: readonly (string | null)[]): Promise<void> {
	const text = names.filter((name) => name !== null && name !== "").join("\n");
	if (text !== "") await insertText(tx, { sessionId, kind: "name", text: folded(text) });
}
