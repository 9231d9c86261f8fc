import type { Socket } from "node:net";
import type { Clock } from "@parley/base";

/** How long a refused client may take to read why and to leave. */
const LINGER_MS = 5_000;

/** Writes the last text of a connection and ends it. Further input is ignored. */
export function bidFarewell(socket: Socket, clock: Clock, words: string | Buffer): void {
	const timer = clock.after(LINGER_MS, () => socket.destroy());
	socket.once("close", () => timer.cancel());
	// A close with unread bytes would reset the connection and take the answer along: RFC 1122, section 4.2.2.13.
	socket.resume();
	socket.end(words);
}
