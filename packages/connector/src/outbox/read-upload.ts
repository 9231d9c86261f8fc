import { type Clock, type Logger, ParleyError } from "@parley/base";
import { DeliveryError } from "./surface.ts";

/** Reads a file that the gateway keeps; rejects with a `ParleyError`. */
export type UploadReader = (fileId: string, most: number, signal: AbortSignal) => Promise<Uint8Array>;

const patienceMs = 60_000;
const passing: ReadonlySet<string> = new Set([
	...["unavailable", "deadline_exceeded", "resource_exhausted", "aborted", "cancelled"],
]);

/**
 * A file's bytes, up to `most`; undefined where the gateway will not give them. While it is away the post waits
 * (`rate-limited`): nothing was sent yet.
 */
export async function readUpload(
	{ fileId, name }: { readonly fileId: string; readonly name: string },
	{ read, most, clock, log }: UploadParts,
): Promise<Uint8Array | undefined> {
	const ending = new AbortController();
	const timer = clock.after(patienceMs, () => ending.abort());
	try {
		return await read(fileId, most, ending.signal);
	} catch (cause) {
		const error = ParleyError.from(cause);
		if (!passing.has(error.code)) {
			log.error("a file cannot be posted", { fileId, error });
			return undefined;
		}
		const why = `the file ${name} cannot be read yet: ${error.message}`;
		throw new DeliveryError(why, { kind: "rate-limited", cause });
	} finally {
		timer.cancel();
	}
}

export interface UploadParts {
	readonly read: UploadReader;
	/** Bytes at most. */
	readonly most: number;
	readonly clock: Clock;
	readonly log: Logger;
}
