import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Clock } from "@parley/base";
import { refusalTexts } from "../texts/http.ts";
import type { TlsIdentity } from "./tls-identity.ts";

export interface ListenerSecurity {
	/** Returns the current TLS identity for clients that start with TLS. Without this function, TLS is not available. */
	identity?(): TlsIdentity;
	/** Clients that may connect without TLS. Default: all. If all clients need TLS, the listener has an `https:` address. */
	readonly plain?: "nobody" | ((socket: Socket) => boolean);
}

export interface ConnectionHandlers {
	/**
	 * Receives a connection that does not use HTTP/2. An HTTP server receives the connection as its `connection` event.
	 */
	onHttp(socket: Socket): void;
	/** Receives an unread connection that uses HTTP/2. */
	onHttp2(socket: Socket): void;
}

interface StartOptions extends ListenerSecurity, ConnectionHandlers {
	readonly clock: Clock;
	/** Admission that receives the TLS stream of a connection. */
	readonly admission: { carries(socket: Socket, secure: Socket): void };
}

/**
 * Reads the first bytes of a connection, decrypts TLS, and passes the connection to the handler for its protocol.
 * Refuses a connection without TLS unless `plain` allows it. Closes a connection that does not reveal its protocol
 * within five seconds.
 */
export async function startConnection(socket: Socket, options: StartOptions): Promise<void> {
	const { clock, identity, plain = () => true, admission } = options;
	const protocol = await readFirstBytes(socket, clock);
	if (protocol === "tls" && identity) {
		const secure = await startTls(socket, identity(), clock);
		if (!secure) return;
		admission.carries(socket, secure);
		// An HTTP/2 connection stays unread here. Node's HTTP/2 loses the order of bytes that were read from a TLS
		// connection and then returned to it.
		if (secure.alpnProtocol === "h2") options.onHttp2(secure);
		else if ((await readFirstBytes(secure, clock)) === "other") options.onHttp(secure);
		// HTTP/2 over TLS requires ALPN: RFC 9113, section 3.2. The client may also have sent nothing, or TLS inside TLS.
		else secure.destroy();
	} else if (protocol !== undefined && (plain === "nobody" || !plain(socket))) {
		endWith(socket, clock, plain === "nobody" ? tlsRequired : servesProxies);
	} else handOver(socket, protocol, options);
}

function handOver(
	socket: Socket,
	protocol: FirstBytes | undefined,
	{ onHttp, onHttp2 }: ConnectionHandlers,
): void {
	if (protocol === "http2") onHttp2(socket);
	else if (protocol === undefined) socket.destroy();
	else onHttp(socket);
}

/** Milliseconds in which a connection must reveal its protocol. */
const FIRST_BYTES_DEADLINE_MS = 5_000;

/** First bytes of an HTTP/2 client: RFC 9113, section 3.4. */
const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** Record type of a handshake. This is the first byte that every TLS client sends: RFC 8446, section 5.1. */
const TLS_HANDSHAKE = 0x16;

type FirstBytes = "tls" | "http2" | "other";

/**
 * Resolves with the protocol of a connection, and puts the bytes that it has read back into the socket. Resolves with
 * undefined if the connection ends, or five seconds pass, before the protocol is known. The socket must be unread
 * before the call.
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
			// Without an encoding, a socket returns buffers. Null means that the buffer is empty.
			const chunk: Buffer | null = socket.read();
			if (chunk === null) return;
			seen = Buffer.concat([seen, chunk]);
			const verdict = judge(seen);
			if (verdict !== "unclear") settle(verdict);
		};
		const timer = clock.after(FIRST_BYTES_DEADLINE_MS, giveUp);
		socket.on("readable", read).on("end", giveUp).on("close", giveUp);
	});
}

function judge(bytes: Buffer): FirstBytes | "unclear" {
	if (bytes[0] === TLS_HANDSHAKE) return "tls";
	const length = Math.min(bytes.length, PREFACE.length);
	if (!bytes.subarray(0, length).equals(PREFACE.subarray(0, length))) return "other";
	return length === PREFACE.length ? "http2" : "unclear";
}

const HANDSHAKE_DEADLINE_MS = 5_000;

/**
 * Supported protocols. The first one is preferred. Browsers and curl offer both protocols, and the pages and
 * endpoints need HTTP/1.1. gRPC clients offer only `h2`. The handshake refuses a client that offers neither of the
 * two protocols: RFC 7301, section 3.2.
 */
const alpn = ["http/1.1", "h2"] as const;

/**
 * Resolves with the unread plaintext stream. Undefined if the client disconnected, violated the protocol or
 * needed more than five seconds.
 */
function startTls(socket: Socket, { context }: TlsIdentity, clock: Clock): Promise<TLSSocket | undefined> {
	const secure = new TLSSocket(socket, {
		isServer: true,
		secureContext: context,
		ALPNCallback: ({ protocols }) => alpn.find((protocol) => protocols.includes(protocol)),
	});
	secure.on("error", () => secure.destroy());
	// After the handshake, protocol errors are emitted only as `_tlsError`, unless a `tls.Server` created the socket:
	// https://github.com/nodejs/node/blob/v24.x/lib/internal/tls/wrap.js (_tlsError)
	secure.on("_tlsError", () => secure.destroy());
	return new Promise((resolve) => {
		const settle = (verdict: TLSSocket | undefined): void => {
			timer.cancel();
			secure.off("secure", succeed).off("close", fail);
			if (verdict === undefined) socket.destroy();
			resolve(verdict);
		};
		const succeed = (): void => settle(secure);
		const fail = (): void => settle(undefined);
		const timer = clock.after(HANDSHAKE_DEADLINE_MS, fail);
		// The server side emits `secure` instead of `secureConnect`: https://nodejs.org/api/tls.html#class-tlstlssocket
		secure.on("secure", succeed).on("close", fail);
	});
}

const tlsRequired = answer("400 Bad Request", {
	error: refusalTexts.httpsRequired,
	hint: refusalTexts.httpsRequiredHint,
});

/** Response to a plaintext request at a port that accepts plaintext only from proxies. */
const servesProxies = answer("403 Forbidden", {
	error: refusalTexts.onlyProxies,
	hint: refusalTexts.onlyProxiesHint,
});

function answer(status: string, body: object): string {
	const text = JSON.stringify(body);
	const head = [
		`HTTP/1.1 ${status}`,
		"content-type: application/json",
		`content-length: ${Buffer.byteLength(text)}`,
		"connection: close",
	];
	return `${head.join("\r\n")}\r\n\r\n${text}`;
}

/** Milliseconds in which a refused client must read the reason and disconnect. */
const LINGER_MS = 5_000;

function endWith(socket: Socket, clock: Clock, words: string | Buffer): void {
	const timer = clock.after(LINGER_MS, () => socket.destroy());
	socket.once("close", () => timer.cancel());
	// A close with unread bytes would reset the connection, and the response could be lost: RFC 1122, section 4.2.2.13.
	socket.resume();
	socket.end(words);
}
