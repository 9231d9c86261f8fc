import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { type Clock, defined, type Logger, ParleyError } from "@parley/base";
import { authorize, type Principal } from "@parley/core";
import type { Authenticate } from "../../auth/authenticate.ts";
import { type Caller, findOrigin } from "../../auth/forwarding.ts";
import type { OpenConnections } from "../../auth/open-connections.ts";
import { type Refusal, sendRefusal, sendUpgradeRefusal } from "../../auth/refusal.ts";
import { checkRequest, type RequestRules } from "../../auth/requests.ts";
import { type Tickets, ticketSeconds } from "../../auth/tickets.ts";
import type { UploadCounts } from "../../metrics/client-metrics.ts";
import type { Exposition } from "../../metrics/metrics.ts";
import { homePage, wantsHomePage } from "../../pages/home-page.ts";
import { pageHeaders } from "../../pages/html-page.ts";
import {
	answerSecretPage,
	carriesForm,
	isSecretPage,
	type SecretPageRoute,
} from "../../secret-page/answer-secret-page.ts";
import { httpErrorTexts } from "../../texts/wires/http.ts";
import { type Answer, errorAnswer } from "./error-code.ts";
import { type ApiDeps, answerApi, isPublic } from "./methods/api.ts";
import { type AuthenticatedRequest, type EventStreams, wantsStream } from "./methods/events.ts";
import { answerFiles, carriesFile, isFilePath } from "./methods/files.ts";
import { sendJson } from "./reply.ts";

export interface HttpServerOptions {
	readonly api: ApiDeps;
	readonly rules: RequestRules;
	readonly authenticate: Authenticate;
	/** Registry that ends connections when the token of their client becomes invalid. */
	readonly openConnections?: OpenConnections;
	readonly tickets?: Tickets;
	readonly clock: Clock;
	readonly log: Logger;
	/** Returns the metrics as text. Rejects with `permission_denied` if the principal may not read them. */
	readonly metrics?: (principal: Principal) => Promise<Exposition>;
	readonly streams?: EventStreams;
	readonly uploads?: UploadCounts;
	/** Password pages; undefined if the gateway has no public address. */
	readonly secretPages?: SecretPageRoute | undefined;
	readonly mcp?: OtherEndpoint | undefined;
	readonly refused?: (status: number) => void;
	/** Reports each authenticated request, with its connection. */
	readonly settled: (socket: Duplex) => void;
	/** Serves a WebSocket upgrade that was checked and authenticated. */
	readonly onWebSocket: (request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller) => void;
}

/**
 * An endpoint of another protocol on the same port. The HTTP server checks and authenticates each request before the
 * endpoint answers it.
 */
export interface OtherEndpoint {
	/** Whether the endpoint reads the body of `request`. */
	carries(request: IncomingMessage): boolean;
	accepts(url: URL): boolean;
	/** Answers a request. Never rejects for an error that a client can cause. */
	serve(request: AuthenticatedRequest): Promise<void>;
}

/** Milliseconds for a client to send a body that no route reads. */
const bodyMs = 30_000;
const webSocketPath = "/api/ws";
const ticketsPath = "/api/tickets";
const metricsPath = "/metrics";

/**
 * Creates the HTTP server of the port. The Host and Origin headers of all requests except CONNECT are checked. Public
 * pages and the public health status need no authentication. All other requests are authenticated before a route or an
 * upgrade.
 */
export function createHttpServer(options: HttpServerOptions): Server {
	const server = createServer({
		maxHeaderSize: 16 * 1024,
		headersTimeout: 10_000,
		// A limit for all requests would cut slow uploads. Bodies that no route reads have the limit `bodyMs`.
		requestTimeout: 0,
		// Interval at which Node enforces `headersTimeout`. With Node's default of 30 s, headers could take 40 s.
		connectionsCheckingInterval: 1_000,
		noDelay: true,
		// `checkRequest` refuses a missing or wrong Host header.
		requireHostHeader: false,
		// Servers may ignore other upgrades, and some clients offer HTTP/2 with each request: RFC 9110, section 7.8.
		shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
	});
	server.maxHeadersCount = 100;
	// Node enforces timeouts only after the event `listening`. This server never listens itself, so the event is
	// emitted here: https://github.com/nodejs/node/blob/v24.x/lib/_http_server.js (setupConnectionsTracking)
	server.emit("listening");
	const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
		answer(request, response, options).catch((error: unknown) => fail(response, error, options.log));
	};
	server.on("request", onRequest);
	// Without a listener for these events, Node answers requests with an Expect header before the gateway's checks.
	// Routes that read the body send the interim response. A server may ignore unknown expectations: RFC 9110, section
	// 10.1.1.
	server.on("checkContinue", onRequest);
	server.on("checkExpectation", onRequest);
	server.on("upgrade", (request, socket, head) => {
		socket.on("error", (error) => options.log.debug("a request for a WebSocket failed", { error }));
		upgrade(request, socket, { ...options, head }).catch((error: unknown) => {
			options.log.error("a request for a WebSocket could not be handled", { error });
			socket.destroy();
		});
	});
	// Without a listener, Node closes the connection without a response.
	server.on("connect", (_request, socket) => {
		socket.on("error", (error) => options.log.debug("a CONNECT failed", { error }));
		options.refused?.(noTunnel.status);
		sendUpgradeRefusal(socket, noTunnel);
	});
	return server;
}

/** Response to CONNECT: RFC 9110, section 9.3.6. */
const noTunnel: Refusal = {
	status: 405,
	headers: { allow: "GET, HEAD, POST" },
	body: { error: httpErrorTexts.methodNotAllowed, hint: httpErrorTexts.noProxy },
};

async function answer(
	request: IncomingMessage,
	response: ServerResponse,
	options: HttpServerOptions,
): Promise<void> {
	logAnswer(request, response, options.log);
	// Bodies that no route reads are discarded, so that the connection can be used again.
	const { secretPages, mcp } = options;
	const isForm = secretPages !== undefined && carriesForm(request);
	if (!isForm && !carriesFile(request) && !mcp?.carries(request)) discardBody(request, options.clock);
	const refused = checkRequest(request, options.rules);
	if (refused) return refuse(response, refused, options);
	const { origin, refusal: unclear } = findOrigin(request, options.rules.proxies);
	if (unclear) return refuse(response, unclear, options);
	const url = new URL(`http://gateway${request.url}`);
	if (secretPages && isSecretPage(url)) {
		return answerSecretPage({ request, response, url, origin }, secretPages);
	}
	if (wantsHomePage(request, url)) return answerHomePage(request, response, options);
	if (isPublic(url)) {
		const answered = await answerApi(options.api, undefined, url);
		return send(request, response, { ...answered, headers: closeConnection });
	}
	const { principal, refusal } = await options.authenticate(request, origin);
	if (refusal) return refuse(response, refusal, options);
	options.settled(request.socket);
	const release = options.openConnections?.register(principal, () => response.destroy());
	response.once("close", () => release?.());
	return route({ request, response, url, principal: { ...principal, via: "http" } }, options);
}

function answerHomePage(
	request: IncomingMessage,
	response: ServerResponse,
	{ api, rules }: HttpServerOptions,
): void {
	const scheme = request.socket instanceof TLSSocket ? "https" : "http";
	const address = rules.publicUrl ?? `${scheme}://${request.headers.host}`;
	const html = homePage({ status: api.health.status(), address });
	response.writeHead(200, {
		...pageHeaders,
		...closeConnection,
		"content-length": Buffer.byteLength(html),
	});
	response.end(request.method === "HEAD" ? undefined : html);
}

async function route(
	{ request, response, url, principal }: AuthenticatedRequest,
	options: HttpServerOptions,
): Promise<void> {
	if (url.pathname === webSocketPath) {
		const body = { error: httpErrorTexts.upgradeRequired };
		return send(request, response, { status: 426, body, headers: { upgrade: "websocket" } });
	}
	if (isFilePath(url.pathname)) {
		const { api, clock, log } = options;
		const { files } = api.runtime;
		return answerFiles({ files, clock, log, counts: options.uploads, request, response, url, principal });
	}
	const { metrics, streams, tickets, mcp } = options;
	if (mcp?.accepts(url)) return mcp.serve({ request, response, url, principal });
	if (url.pathname === ticketsPath && tickets)
		return answerTickets({ request, response, url, principal }, tickets);
	if (streams && wantsStream(request, url)) return streams.serve({ request, response, url, principal });
	const reading = request.method === "GET" || request.method === "HEAD";
	if (url.pathname === metricsPath && metrics && reading)
		return answerMetrics(response, request.method, () => metrics(principal));
	send(request, response, await answerApi(options.api, principal, url));
}

async function answerMetrics(
	response: ServerResponse,
	method: string | undefined,
	scrape: () => Promise<Exposition>,
): Promise<void> {
	const { status, type, text } = await scrapeAnswer(scrape);
	response.writeHead(status, {
		"content-type": type,
		"content-length": Buffer.byteLength(text),
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
	});
	response.end(method === "HEAD" ? undefined : text);
}

async function scrapeAnswer(
	scrape: () => Promise<Exposition>,
): Promise<{ status: number; type: string; text: string }> {
	try {
		const { contentType, text } = await scrape();
		return { status: 200, type: contentType, text };
	} catch (reason) {
		const { code, message } = ParleyError.from(reason);
		if (code !== "permission_denied") throw reason;
		return { status: 403, type: "application/json", text: JSON.stringify({ error: message }) };
	}
}

function answerTickets({ request, response, principal }: AuthenticatedRequest, tickets: Tickets): void {
	sendJson(response, request.method === "POST" ? issue(principal, tickets) : onlyPost);
}

const onlyPost = { status: 405, body: { error: httpErrorTexts.usePost }, headers: { allow: "POST" } };

function issue(principal: Principal, tickets: Tickets): Answer {
	try {
		authorize(principal, "ticket.create");
		return { status: 201, body: { ticket: tickets.issue(principal), expires_in: ticketSeconds } };
	} catch (reason) {
		return errorAnswer(reason);
	}
}

/** Reads and drops the body. Destroys the request if the body does not end within `bodyMs`. */
function discardBody(request: IncomingMessage, clock: Clock): void {
	// A destroyed request emits no further event.
	if (!request.complete && !request.destroyed) {
		const { socket } = request;
		const timer = clock.after(bodyMs, () => request.destroy());
		const end = (): void => {
			timer.cancel();
			socket.off("close", end);
		};
		for (const event of ["end", "close"]) request.once(event, end);
		// After the response is sent, Node emits no event on the request when the socket closes.
		socket.once("close", end);
	}
	request.resume();
}

function refuse(response: ServerResponse, refusal: Refusal, { refused }: HttpServerOptions): void {
	refused?.(refusal.status);
	sendRefusal(response, refusal);
}

function refuseUpgrade(socket: Duplex, refusal: Refusal, { refused }: HttpServerOptions): void {
	refused?.(refusal.status);
	sendUpgradeRefusal(socket, refusal);
}

async function upgrade(
	request: IncomingMessage,
	socket: Duplex,
	options: HttpServerOptions & { readonly head: Buffer },
): Promise<void> {
	const refused = checkRequest(request, options.rules);
	if (refused) return refuseUpgrade(socket, refused, options);
	const { origin, refusal: unclear } = findOrigin(request, options.rules.proxies);
	if (unclear) return refuseUpgrade(socket, unclear, options);
	const { pathname } = new URL(`http://gateway${request.url}`);
	if (pathname !== webSocketPath) return sendUpgradeRefusal(socket, notHere(pathname));
	const { principal, refusal } = await options.authenticate(request, { ...origin, opensWebSocket: true });
	if (refusal) return refuseUpgrade(socket, refusal, options);
	options.settled(socket);
	options.onWebSocket(request, socket, options.head, { ...origin, principal });
}

/**
 * Header that closes the connection. Unauthenticated clients could otherwise use up the connections for other
 * clients.
 */
const closeConnection = { connection: "close" };

function notHere(path: string): Refusal {
	return {
		status: 400,
		headers: {},
		body: {
			error: httpErrorTexts.noWebSocket({ path }),
			hint: httpErrorTexts.webSocketHint({ webSocketPath }),
		},
	};
}

interface Reply {
	readonly status: number;
	readonly body: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

function send(request: IncomingMessage, response: ServerResponse, { status, body, headers }: Reply): void {
	const reading = request.method === "GET" || request.method === "HEAD";
	const text = JSON.stringify(reading ? body : { error: httpErrorTexts.useGet });
	response.writeHead(reading ? status : 405, {
		...headers,
		...defined({ allow: reading ? undefined : "GET, HEAD" }),
		"content-type": "application/json",
		"content-length": Buffer.byteLength(text),
		"cache-control": "no-store",
		"x-content-type-options": "nosniff",
	});
	response.end(request.method === "HEAD" ? undefined : text);
}

/**
 * Logs an answered request. Omits the query, which may contain a search text, and the address of a password page,
 * which grants access to the page.
 */
function logAnswer({ method, url = "" }: IncomingMessage, response: ServerResponse, log: Logger): void {
	response.once("close", () => {
		const path = url.split("?", 1)[0]?.replace(/\/secret\/.*/, "/secret/…");
		log.debug("http request", { method, path, status: response.statusCode });
	});
}

function fail(response: ServerResponse, error: unknown, log: Logger): void {
	log.error("a request could not be answered", { error });
	if (response.headersSent) response.destroy();
	else {
		response.writeHead(500, { ...closeConnection, "content-type": "application/json" });
		response.end('{"error":"internal error"}');
	}
}
