import { hash } from "node:crypto";

/**
 * Hashes of rows with text of people, models and tools. They reveal text that a disk fault or another program altered. They have
 * no key, so a program that also computes new hashes is not detected (decision 048). Deleted rows and hashes are detected by
 * comparison with the events (decision 060). Each hash is SHA-256 as base64url, 43 characters. Only the last hashed field may
 * contain a line break.
 */

/** Value in place of the previous hash, for the first event of a session and after an event without a hash. */
export const noTextHash = "";

/** Returns the hash of an event. `previous` is the hash of the event before it in the session, so the events form a chain. */
export function eventHash(
	previous: string,
	event: {
		readonly id: string;
		readonly sessionId: string;
		readonly seq: number;
		readonly type: string;
		readonly at: number;
		readonly data: string;
	},
): string {
	const { id, sessionId, seq, type, at, data } = event;
	return digest(`event\n${previous}\n${id}\n${sessionId}\n${seq}\n${type}\n${at}\n${data}`);
}

/**
 * Returns the hash of a step of a run. Steps do not form a chain, because an image that a model refuses is later removed from its
 * step.
 */
export function stepHash({
	runId,
	n,
	data,
}: {
	readonly runId: string;
	readonly n: number;
	readonly data: string;
}): string {
	return digest(`step\n${runId}\n${n}\n${data}`);
}

/** Returns the hash of the message of a run: its text and author, without images and attached files. */
export function runHash(run: {
	readonly id: string;
	readonly sessionId: string;
	readonly ordinal: number;
	readonly actor: string | null;
	readonly content: string;
}): string {
	const { id, sessionId, ordinal, actor, content } = run;
	return digest(`run\n${id}\n${sessionId}\n${ordinal}\n${actor ?? ""}\n${content}`);
}

/** Returns the hash of a message that waits for the next model call of a run. */
export function steerHash(steer: {
	readonly id: string;
	readonly runId: string;
	readonly ordinal: number;
	readonly actor: string | null;
	readonly content: string;
}): string {
	const { id, runId, ordinal, actor, content } = steer;
	return digest(`steer\n${id}\n${runId}\n${ordinal}\n${actor ?? ""}\n${content}`);
}

/** Returns the hash of a compaction. `summary` is the column of this name. */
export function summaryHash({
	sessionId,
	n,
	summary,
}: {
	readonly sessionId: string;
	readonly n: number;
	readonly summary: string | null;
}): string {
	return digest(`summary\n${sessionId}\n${n}\n${summary ?? ""}`);
}

function digest(text: string): string {
	return hash("sha256", text, "base64url");
}
