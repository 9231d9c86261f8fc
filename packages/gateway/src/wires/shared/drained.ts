import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Clock } from "@parley/base";

/** Maximum milliseconds for a client to read the written data. */
const patienceMs = 30_000;

/**
 * Resolves when the response can buffer more data or the client has disconnected. Calls `disconnect` if neither happens
 * within `patienceMs`.
 */
export async function drained(response: ServerResponse, clock: Clock, disconnect: () => void): Promise<void> {
	// A destroyed response emits no further event.
	if (response.destroyed) return;
	const slow = clock.after(patienceMs, disconnect);
	const done = new AbortController();
	const { signal } = done;
	await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
	done.abort();
	slow.cancel();
}
