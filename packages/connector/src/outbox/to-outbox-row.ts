import { hash } from "node:crypto";
import type { OutboxRow } from "../platform/surface.ts";
import type { OpenRow } from "./open-row.ts";
import type { Content } from "./statements.ts";

/** Discord takes 25 characters (https://docs.discord.com/developers/resources/message#create-message). */
const nonceLength = 24;

/** A row as the surface gets it. */
export function toOutboxRow(row: OpenRow, content: Content): OutboxRow {
	const { id, conversation, lane, card, at, attempts } = row;
	return {
		...{ id, conversation, lane, at, payload: content.payload, attempt: attempts },
		nonce: hash("sha256", id, "base64url").slice(0, nonceLength),
		...(card === null ? {} : { card }),
		...(content.target === undefined ? {} : { target: content.target }),
	};
}
