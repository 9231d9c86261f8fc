import { hash } from "node:crypto";

/**
 * Hashes of rows that contain text from people, models and tools. A hash reveals that a disk fault or another program
 * has altered the text. The hashes have no key, so an alteration is not detected if a program also computes the new
 * hashes (decision 048). A comparison of the rows with the events detects deleted rows and deleted hashes (decision
 * 060). Each hash is SHA-256 as base64url, 43 characters. In the hashed text, only the last field may contain a line
 * break.
 */

/**
 * Value in place of the previous event's hash. Used for the first event of a session and after an event without a hash.
 */
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
 * Returns the hash of one step. Steps do not form a chain, because a step can change: an image is removed from its step
 * if a model refuses the image.
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

/** Returns the hash of a run's message. The hash includes the text and the author, but no images or attached files. */
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

/** Returns the hash of a waiting message. The message waits for the run's next model call. */
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

/** Returns the hash of a compaction. `summary` is the value of the column `summary`. */
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
