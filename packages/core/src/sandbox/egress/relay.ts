import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Clock, ParleyError } from "@parley/base";

/** Milliseconds without data after which a connection is ended. The end may be late by the same time. */
const IDLE_MS = 120_000;
/** Maximum duration of a connection in milliseconds: longer than any command may run. */
const MAX_MS = 15 * 60_000;

/**
 * Relays bytes in both directions until both sides have ended. Rejects with `unavailable` if one side fails, with
 * `deadline_exceeded` at a time limit, or with the reason of the signal. Both sides are closed by then.
 */
export async function relay(
	client: Duplex,
	upstream: Socket,
	{ clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<void> {
	const limit = new AbortController();
	const began = clock.monotonic();
	let before = 0;
	const check = (): void => {
		const moved = upstream.bytesRead + upstream.bytesWritten;
		const late = clock.monotonic() - began >= MAX_MS;
		if (late || moved === before) limit.abort(tooLong(late ? "lasted too long" : "was idle for too long"));
		before = moved;
		timer = clock.after(IDLE_MS, check);
	};
	let timer = clock.after(IDLE_MS, check);
	const ends = { signal: AbortSignal.any([signal, limit.signal]) };
	try {
		await Promise.all([pipeline(client, upstream, ends), pipeline(upstream, client, ends)]);
	} catch (cause) {
		ends.signal.throwIfAborted();
		throw new ParleyError("the connection broke off", { code: "unavailable", cause });
	} finally {
		timer.cancel();
		client.destroy();
		upstream.destroy();
	}
}

function tooLong(what: string): ParleyError {
	return new ParleyError(`the connection ${what}`, { code: "deadline_exceeded" });
}
