import type { Socket } from "node:net";
import type { Clock } from "@parley/base";

/** How long a connection may take to say which protocol it speaks. */
const DEADLINE_MS = 5_000;

/** First bytes of an HTTP/2 client: RFC 9113, section 3.4. */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** The type of the record that every TLS client begins with: RFC 8446, section 5.1. */
const HANDSHAKE = 0x16;

export type FirstBytes = "tls" | "http2" | "other";

/**
 * Waits for enough bytes to distinguish TLS and HTTP/2 from others, and puts them back. `undefined` if the connection ended,
 * or five seconds passed, before that. Expects an unread socket.
 */
export function readFirstBytes(socket: Socket, clock: Clock): Promise<FirstBytes | undefined> {
	return new Promise((resolve) => {
		let seen: Buffer = Buffer.alloc(0);
		const settle = (verdict: FirstBytes | undefined): void => {
			timer.cancel();
			socket.off("readable", read).off("end", giveUp).off("close", giveUp);
			if (verdict !== undefined) socket.unshift(seen);
			resolve(verdict);
		};
		const giveUp = (): void => settle(undefined);
		const read = (): void => {
			// Without an encoding a socket returns buffers. Null means that no data has arrived.
			const chunk: Buffer | null = socket.read();
			if (chunk === null) return;
			seen = Buffer.concat([seen, chunk]);
			const verdict = judge(seen);
			if (verdict !== "unclear") settle(verdict);
		};
		const timer = clock.after(DEADLINE_MS, giveUp);
		socket.on("readable", read).on("end", giveUp).on("close", giveUp);
	});
}

function judge(bytes: Buffer): FirstBytes | "unclear" {
	if (bytes[0] === HANDSHAKE) return "tls";
	const length = Math.min(bytes.length, PREFACE.length);
	if (!bytes.subarray(0, length).equals(PREFACE.subarray(0, length))) return "other";
	return length === PREFACE.length ? "http2" : "unclear";
}
