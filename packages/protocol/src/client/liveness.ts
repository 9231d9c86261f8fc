import type { Clock, Timer } from "@parley/base";
import type WebSocket from "ws";

const intervalMs = 30_000;

/**
 * Pings an open socket and ends it when nothing came back for a whole interval: after a laptop slept or a cable was
 * pulled, nothing else would ever say that the other side is gone. Cancel it when the socket has closed.
 */
export function watchLiveness(socket: WebSocket, clock: Clock): Timer {
	let heard = true;
	const hear = (): void => {
		heard = true;
	};
	for (const sign of ["message", "ping", "pong"]) socket.on(sign, hear);
	const check = (): void => {
		if (heard) {
			heard = false;
			socket.ping();
			timer = clock.after(intervalMs, check);
		} else {
			socket.terminate();
		}
	};
	let timer = clock.after(intervalMs, check);
	return { cancel: () => timer.cancel() };
}
