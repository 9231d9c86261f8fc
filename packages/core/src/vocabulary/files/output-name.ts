import { createHash } from "node:crypto";

/** Begins the id of every kept result; the ids of other kept files begin with `file_`. */
export const outputPrefix = "output_";

/** Returns the name under which the complete result of a call is kept, which is its file id too. */
export function outputName(sessionId: string, callId: string): string {
	const hash = createHash("sha256").update(`${sessionId} ${callId}`).digest("hex");
	return `${outputPrefix}${hash.slice(0, 26)}`;
}

/** Whether a path that a model wrote is the name of a kept result. A file of that name is `./output_…`. */
export function isOutputName(path: string): boolean {
	return /^output_[0-9a-f]{26}$/.test(path);
}
