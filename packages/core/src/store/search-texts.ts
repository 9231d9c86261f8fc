import { hotStatement } from "@parley/base";
import type { Tx } from "./journal.ts";
import type { Tables } from "./tables.ts";

/** What of one text can be found: a page of a log is not what people remember a conversation by. */
const mostCharacters = 16_384;

/** One spelling for what people take for the same: case, full and half width, ligatures. */
export function folded(text: string): string {
	return text.slice(0, mostCharacters).normalize("NFKC").toLowerCase().replaceAll("\0", " ");
}

const insertText = hotStatement<Tables, { sessionId: string; kind: "name" | "message"; text: string }>(
	(db, p) =>
		db
			.insertInto("search_texts")
			.values({ session_id: p("sessionId"), kind: p("kind"), text: p("text"), epoch: 1, v: 1 }),
);

/** Lets a session be found by what was said in it: once for each message. */
export async function indexMessages(tx: Tx, sessionId: string, texts: readonly string[]): Promise<void> {
	for (const text of texts) {
		if (text.trim() !== "") await insertText(tx, { sessionId, kind: "message", text: folded(text) });
	}
}

/** Lets a session be found no more by the title and external key that it had. */
export async function forgetName(tx: Tx, sessionId: string): Promise<void> {
	await tx
		.deleteFrom("search_texts")
		.where("session_id", "=", sessionId)
		.where("kind", "=", "name")
		.execute();
}

/** Lets a session be found by its title and external key. */
export async function indexName(tx: Tx, sessionId: string, names: readonly (string | null)[]): Promise<void> {
	const text = names.filter((name) => name !== null && name !== "").join("\n");
	if (text !== "") await insertText(tx, { sessionId, kind: "name", text: folded(text) });
}
