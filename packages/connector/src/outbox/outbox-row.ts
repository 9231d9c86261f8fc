import { hash } from "node:crypto";
import { defined } from "@parley/base";
import type { OutboxRow } from "../platform/surface.ts";
import type { OpenRow } from "./open-row.ts";
import { type Content, keyOf } from "./statements.ts";

/**
 * Length of a nonce. Discord accepts up to 25 characters:
 * https://docs.discord.com/developers/resources/message#create-message
 */
const nonceLength = 24;

/**
 * Returns the nonce of a row. `key` is the `key` of the row's posting, or the row's id if the posting has no key.
 */
export function nonceOf(key: string): string {
	return hash("sha256", key, "base64url").slice(0, nonceLength);
}

export function toOutboxRow(row: OpenRow, content: Content): OutboxRow {
	const { id, conversation, lane, card, at, attempts } = row;
	return {
		id,
		conversation,
		lane,
		at,
		payload: content.payload,
		attempt: attempts,
		nonce: nonceOf(keyOf(content.payload) ?? id),
		...defined({ card: card ?? undefined, target: content.target }),
	};
}
