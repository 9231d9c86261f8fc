import { ParleyError } from "@parley/base";

/** A longer one is not read by the person who is asked. */
const MAX_SHOWN_BYTES = 16 * 1024;

/** Refuses a command that nobody could approve, because it cannot be started or not be shown as it is. */
export function refuseUnshowable(words: readonly string[], label: string): void {
	const refuse = (why: string): never => {
		throw new ParleyError(`the command cannot be approved: ${why}`, { code: "invalid_argument" });
	};
	if (words.some((word) => word.includes("\0") || !word.isWellFormed())) {
		refuse("it holds a NUL or is not well-formed text");
	}
	const bytes = Buffer.byteLength(label);
	if (bytes <= MAX_SHOWN_BYTES) return;
	refuse(`it takes ${bytes} bytes to show, at most ${MAX_SHOWN_BYTES}; write it to a file and run that`);
}
