import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "@parley/base";
import type { Principal } from "@parley/core";
import type { Authenticate } from "../auth/authenticate.ts";
import { type Refusal, sendRefusal, sendUpgradeRefusal } from "../auth/refusal.ts";
import { checkRequest, type RequestRules } from "../auth/requests.ts";
import { type ApiDeps, answerApi, isPublic } from "./api.ts";

export interface HttpServerOptions {
	readonly api: ApiDeps;
	readonly rules: RequestRules;
	readonly authenticate: Authenticate;
	readonly log: Logger;
	/** The connection is no stranger any more. */
	readonly settled: (socket: Duplex) => void;
	/** Takes over a WebSocket upgrade that was checked and authenticated. */
	readonly onWebSocket: (
		request: IncomingMessage,
		socket: Duplex,
		head: Buffer,
		principal: Principal,
	) => void;
}

const webSocketPath = "/api/ws";

/**
 * The HTTP side of the port. Every request passes the Host and Origin checks first, then authentication; nothing is
 * upgraded before both.
 */
export function createHttpServer(options: HttpServerOptions): Server {
	const server = createServer({
		maxHeaderSize: 16 * 1024,
		headersTimeout: 10_000,
		requestTimeout: 30_000,
		// How late the two above may be; Node's 30 s would make them 40 s and 60 s.
		connectionsCheckingInterval: 1_000,
		noDelay: true,
		// A missing Host is refused by our own check, like a wrong one.
		requireHostHeader: false,
	});
	server.maxHeadersCount = 100;
	// Node watches over timeouts and connections only from this event on, and this server never listens itself:
	// https://github.com/nodejs/node/blob/v24.x/lib/_http_server.js (setupConnectionsTracking)
	server.emit("listening");
	const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
		answer(request, response, options).catch((error: unknown) => fail(response, error, options.log));
	};
	server.on("request", onRequest);
	// Unlistened to, Node itself answers requests with an Expect header, before our checks. No body is ever wanted here,
	// so the answer comes at once; expectations that nobody knows may be ignored: RFC 9110, section 10.1.1.
	server.on("checkContinue", onRequest);
	server.on("checkExpectation", onRequest);
	server.on("upgrade", (request, socket, head) => {
		socket.on("error", (error) => options.log.debug("an upgrade failed", { error }));
		upgrade(request, socket, { ...options, head }).catch((error: unknown) => {
			options.log.error("an upgrade could not be handled", { error });
			socket.destroy();
		});
	});
	return server;
}

async function answer(
	request: IncomingMessage,
	response: ServerResponse,
	options: HttpServerOptions,
): Promise<void> {
	// What a client sends with a GET is read and forgotten, so that its connection can be used again.
	request.resume();
	const refused = checkRequest(request, options.rules);
	if (refused) return sendRefusal(response, refused);
	const url = new URL(`http://gateway${request.url}`);
	if (isPublic(url.pathname)) {
		const answered = await answerApi(options.api, undefined, url);
		return send(request, response, { ...answered, headers: closing });
	}
	const { principal, refusal } = await options.authenticate(request);
	if (refusal) return sendRefusal(response, refusal);
	options.settled(request.socket);
	if (url.pathname === webSocketPath) {
		const body = { error: "this address speaks WebSocket: connect with an upgrade request" };
		return send(request, response, { status: 426, body, headers: { upgrade: "websocket" } });
	}
	send(request, response, await answerApi(options.api, principal, url));
}

async function upgrade(
	request: IncomingMessage,
	socket: Duplex,
	options: HttpServerOptions & { readonly head: Buffer },
): Promise<void> {
	const refused = checkRequest(request, options.rules);
	if (refused) return sendUpgradeRefusal(socket, refused);
	const { pathname } = new URL(`http://gateway${request.url}`);
	if (pathname !== webSocketPath) return sendUpgradeRefusal(socket, notHere(pathname));
	const { principal, refusal } = await options.authenticate(request);
	if (refusal) return sendUpgradeRefusal(socket, refusal);
	options.settled(socket);
	options.onWebSocket(request, socket, options.head, principal);
}

/** Whoever has not said who they are gets one answer per connection: the place is somebody else's then. */
const closing = { connection: "close" };

function notHere(path: string): Refusal {
	return {
		status: 400,
		headers: {},
		body: { error: `no WebSocket at ${path}`, hint: `connect to ${webSocketPath}` },
	};
}

interface Reply {
	readonly status: number;
	readonly body: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

function send(request: IncomingMessage, response: ServerResponse, { status, body, headers }: Reply): void {
	const reading = request.method === "GET" || request.method === "HEAD";
	const text = JSON.stringify(reading ? body : { error: "only GET is served here" });
	response.writeHead(reading ? status : 405, {
		...headers,
		...(!reading && { allow: "GET, HEAD" }),
		"content-type": "application/json",
		"content-length": Buffer.byteLength(text),
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
	});
	response.end(request.method === "HEAD" ? undefined : text);
}

function fail(response: ServerResponse, error: unknown, log: Logger): void {
	log.error("a request could not be answered", { error });
	if (response.headersSent) response.destroy();
	else {
		response.writeHead(500, { ...closing, "content-type": "application/json" });
		response.end('{"error":"internal error"}');
	}
}
