import type { Socket } from "node:net";
import type { Clock } from "@parley/base";

/** How long a refused client may take to read why and to leave. */
const LINGER_MS = 5_000;

/** Writes the last that a connection gets to hear, and ends it; what the client still sends is not looked at. */
export function bidFarewell(socket: Socket, clock: Clock, words: string | Buffer): void {
	const timer = clock.after(LINGER_MS, () => socket.destroy());
	socket.once("close", () => timer.cancel());
	// A close with unread bytes would reset the connection and take the answer along: RFC 1122, section 4.2.2.13.
	socket.resume();
	socket.end(words);
}
