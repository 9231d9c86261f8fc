import type { Socket } from "node:net";
import type { Clock } from "@parley/base";
import { bidFarewell } from "./farewell.ts";

const SETTINGS = 0x4;
const GOAWAY = 0x7;
const HTTP_1_1_REQUIRED = 0xd;

/**
 * Tells an HTTP/2 client, in its own language, that it should use HTTP/1.1 here, and ends the connection: the server's
 * SETTINGS, which must come first (RFC 9113, section 3.4), then GOAWAY with HTTP_1_1_REQUIRED (section 7) and a text.
 */
export function refuseHttp2(socket: Socket, clock: Clock): void {
	bidFarewell(socket, clock, Buffer.concat([frame(SETTINGS, Buffer.alloc(0)), frame(GOAWAY, goaway())]));
}

/** A frame of the connection itself (stream 0) without flags: RFC 9113, section 4.1. */
function frame(type: number, payload: Buffer): Buffer {
	const head = Buffer.alloc(9);
	head.writeUIntBE(payload.length, 0, 3);
	head.writeUInt8(type, 3);
	return Buffer.concat([head, payload]);
}

/** The last stream that was worked on (none), the reason, and a text for people: RFC 9113, section 6.8. */
function goaway(): Buffer {
	const head = Buffer.alloc(8);
	head.writeUInt32BE(HTTP_1_1_REQUIRED, 4);
	return Buffer.concat([head, Buffer.from("this port speaks HTTP/1.1 and WebSocket, not HTTP/2")]);
}
