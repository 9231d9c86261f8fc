import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { type Clock, defined, type Ids, type Logger, ParleyError, type Timer } from "@parley/base";
import type { Principal, Runtime } from "@parley/core";
import type { OpenConnections } from "../../auth/open-connections.ts";
import type { WireCounts } from "../../metrics/client-metrics.ts";
import { mcpErrorTexts } from "../../texts/wires/mcp.ts";
import { drained } from "../shared/drained.ts";
import type { ErrorRedactor } from "../shared/error-text.ts";
import { RateLimit } from "../shared/rate-limit.ts";
import { decodeMessage } from "./codec.ts";
import type { McpConnection } from "./connection.ts";
import { Refused, rpcCodes } from "./error-code.ts";
import type { RpcMessage } from "./schema.ts";

export interface McpEndpointOptions {
	readonly runtime: Runtime;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	readonly version: string;
	/** Whether the operator allows forms for approvals. */
	readonly forms: boolean;
	readonly openConnections: OpenConnections;
	readonly redactor?: ErrorRedactor | undefined;
	readonly counts?: WireCounts | undefined;
}

/** Maximum number of open sessions of all clients together. */
const maxSessions = 256;
/** Maximum number of open sessions of one principal. */
const maxSessionsOfPrincipal = 32;
/** Maximum number of active requests of one session. */
const maxRequests = 16;
/** Maximum number of bytes of a message. */
const maxBytes = 1024 * 1024;
/** Milliseconds after the last request at which a session ends. */
const idleMs = 30 * 60_000;
/** Milliseconds for a client to send a message. */
const bodyMs = 30_000;
/** Maximum milliseconds for the last responses when the gateway stops. */
const closeMs = 2_000;

const path = "/mcp";

interface McpSession {
	readonly id: string;
	readonly principal: Principal;
	readonly connection: McpConnection;
	readonly transport: WebStandardStreamableHTTPServerTransport;
	/** Removes the session from `OpenConnections`. */
	release: () => void;
	idle: Timer | undefined;
	usedAt: number;
}

export interface McpRequest {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly principal: Principal;
}

/**
 * Endpoint `/mcp` for authenticated requests. A session belongs to the principal and the token that opened it. The transport
 * is Streamable HTTP of the Model Context Protocol:
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export class McpEndpoint {
	readonly wire = "mcp";
	readonly #options: McpEndpointOptions;
	readonly #rateLimit: RateLimit;
	readonly #sessions = new Map<string, McpSession>();
	readonly #responses = new Set<ServerResponse>();
	#closed = false;

	constructor(options: McpEndpointOptions) {
		this.#options = options;
		this.#rateLimit = new RateLimit(options.clock, () => options.counts?.rateLimited());
	}

	get clients(): number {
		return this.#sessions.size;
	}

	get waitingBytes(): number {
		return this.#responses.keys().reduce((sum, response) => sum + response.writableLength, 0);
	}

	/** Whether a request sends a message to this endpoint. Only the endpoint reads the body of such a request. */
	carries({ method, url = "" }: IncomingMessage): boolean {
		return method === "POST" && URL.parse(`http://gateway${url}`)?.pathname === path;
	}

	accepts({ pathname }: URL): boolean {
		return pathname === path;
	}

	/** Answers one request. Never rejects for an error that a client can cause. */
	async serve(http: McpRequest): Promise<void> {
		const { request, response } = http;
		this.#responses.add(response);
		response.once("close", () => this.#responses.delete(response));
		try {
			if (this.#closed) throw new Refused(503, rpcCodes.refused, mcpErrorTexts.stopping);
			if (request.method === "DELETE") await this.#delete(http);
			else if (request.method === "POST") await this.#post(http);
			else throw new Refused(405, rpcCodes.refused, mcpErrorTexts.postOrDelete);
		} catch (reason) {
			if (response.destroyed) return;
			if (response.headersSent) response.destroy();
			else this.#refuse(http, reason);
		}
	}

	/** Ends all sessions and the waits of their clients, and refuses later requests. The runs continue. */
	async close(): Promise<void> {
		this.#closed = true;
		const sessions = [...this.#sessions.values()];
		for (const { connection } of sessions) connection.stop();
		const answered = [...this.#responses].map((response) =>
			response.closed ? undefined : once(response, "close"),
		);
		const patience = Promise.withResolvers<void>();
		const timer = this.#options.clock.after(closeMs, patience.resolve);
		await Promise.race([Promise.all(answered), patience.promise]);
		timer.cancel();
		await Promise.all(sessions.map((session) => this.#end(session)));
		for (const response of this.#responses) response.destroy();
	}

	async #post(http: McpRequest): Promise<void> {
		const { request } = http;
		if (!/^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")) {
			throw new Refused(415, rpcCodes.refused, mcpErrorTexts.contentType);
		}
		const message = decodeMessage(await this.#readBody(http));
		const { id, method } = message;
		// Each `initialize` opens another session, so all `initialize` requests of a principal share one rate limit.
		if (method === "initialize") this.#count(`initialize ${http.principal.id}`, id);
		const session = await this.#sessionFor(http, message);
		const isRequest = id !== undefined && method !== undefined;
		this.#count(session.id, id);
		const { connection } = session;
		if (isRequest && connection.active >= maxRequests) {
			const text = mcpErrorTexts.tooManyRequests({ max: maxRequests });
			throw new Refused(429, rpcCodes.refused, text, { id });
		}
		if (isRequest && !connection.begin(id)) {
			throw new Refused(400, rpcCodes.invalidRequest, mcpErrorTexts.usedId, { id });
		}
		try {
			await this.#forward(http, session, message);
		} finally {
			if (isRequest) connection.end(id);
			this.#restartIdleTime(session);
		}
	}

	#count(key: string, id: RpcMessage["id"]): void {
		try {
			this.#rateLimit.count(key);
		} catch (reason) {
			const error = new ParleyError(mcpErrorTexts.rateLimited, { code: "resource_exhausted", cause: reason });
			throw Refused.because(error, 429, rpcCodes.refused, id);
		}
	}

	async #delete(http: McpRequest): Promise<void> {
		const session = this.#find(http);
		await this.#end(session);
		http.response.writeHead(204, commonHeaders).end();
	}

	async #sessionFor(http: McpRequest, { method, id }: RpcMessage): Promise<McpSession> {
		if (http.request.headers["mcp-session-id"] !== undefined) return this.#find(http);
		if (method !== "initialize") {
			throw new Refused(400, rpcCodes.refused, mcpErrorTexts.noSessionId, {
				id,
			});
		}
		return this.#open(http.principal);
	}

	/**
	 * Returns the session that the request names. Throws for an unknown session, and for a session of another principal
	 * or token.
	 */
	#find({ request, principal }: McpRequest): McpSession {
		const id = request.headers["mcp-session-id"];
		const session = typeof id === "string" ? this.#sessions.get(id) : undefined;
		if (session && session.principal.id === principal.id && session.principal.tokenId === principal.tokenId) {
			return session;
		}
		throw new Refused(404, rpcCodes.sessionNotFound, mcpErrorTexts.noSession);
	}

	/**
	 * Ends the oldest idle session of the principal if there are too many sessions, in total or of the principal.
	 * Throws if the principal has no idle session.
	 */
	#makeRoom({ id }: Principal): void {
		const own = [...this.#sessions.values()].filter(({ principal }) => principal.id === id);
		if (this.#sessions.size < maxSessions && own.length < maxSessionsOfPrincipal) return;
		const idle = own.filter(({ connection }) => connection.active === 0);
		const oldest = idle.reduce<McpSession | undefined>(
			(first, session) => (first && first.usedAt <= session.usedAt ? first : session),
			undefined,
		);
		if (!oldest) throw new Refused(503, rpcCodes.refused, mcpErrorTexts.tooManySessions);
		void this.#end(oldest);
	}

	async #open(principal: Principal): Promise<McpSession> {
		const { runtime, clock, ids, log, version, redactor, counts, forms, openConnections } = this.#options;
		const [{ McpConnection: Connection }, { WebStandardStreamableHTTPServerTransport: Streamable }] =
			await Promise.all([import("./connection.ts"), import("@modelcontextprotocol/server")]);
		const id = ids.create("mcp");
		const transport = new Streamable({ sessionIdGenerator: () => id });
		const facts = { version, principal, redactor, counts, forms };
		const connection = new Connection({ runtime, clock, log, ...facts });
		await connection.connect(transport);
		try {
			if (this.#closed) throw new Refused(503, rpcCodes.refused, mcpErrorTexts.stopping);
			// `#makeRoom` runs directly before the session is added, so that it counts all sessions that open at the
			// same time.
			this.#makeRoom(principal);
		} catch (reason) {
			await connection.close();
			throw reason;
		}
		const release = (): void => undefined;
		const session: McpSession = { id, principal, connection, transport, release, idle: undefined, usedAt: 0 };
		this.#sessions.set(id, session);
		this.#restartIdleTime(session);
		session.release = openConnections.register(principal, () => void this.#end(session));
		return session;
	}

	#restartIdleTime(session: McpSession): void {
		if (this.#sessions.get(session.id) !== session) return;
		const { clock } = this.#options;
		session.idle?.cancel();
		session.usedAt = clock.monotonic();
		session.idle = clock.after(idleMs, () => {
			if (session.connection.active > 0) this.#restartIdleTime(session);
			else void this.#end(session);
		});
	}

	async #end(session: McpSession): Promise<void> {
		if (this.#sessions.get(session.id) !== session) return;
		this.#sessions.delete(session.id);
		session.idle?.cancel();
		session.release();
		await session.connection.close().catch((error: unknown) => {
			this.#options.log.error("an MCP session could not be closed", { error });
		});
	}

	async #forward({ request, response }: McpRequest, session: McpSession, message: RpcMessage): Promise<void> {
		const { headers } = request;
		const passed = defined({
			accept: headers.accept,
			"content-type": "application/json",
			"mcp-session-id": headers["mcp-session-id"]?.toString(),
			"mcp-protocol-version": headers["mcp-protocol-version"]?.toString(),
		});
		const { transport, connection } = session;
		const { id, method } = message;
		const onClose = (): void => {
			if (id !== undefined && method !== undefined && !response.writableFinished) connection.end(id);
		};
		response.once("close", onClose);
		const answer = await transport.handleRequest(
			new Request("http://gateway/mcp", { method: "POST", headers: passed }),
			{ parsedBody: message },
		);
		// If the MCP SDK refused the first message, no client can use the session.
		const isFirst = request.headers["mcp-session-id"] === undefined;
		if (isFirst && answer.status !== 200) await this.#end(session);
		response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...commonHeaders });
		if (answer.body) await this.#pipe(answer.body, response);
		response.end();
	}

	async #pipe(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
		// If the client disconnected before the MCP SDK answered, no `close` event follows.
		if (response.destroyed) {
			await body.cancel().catch(() => undefined);
			return;
		}
		const { clock, counts } = this.#options;
		const disconnect = (): void => {
			counts?.slowReader();
			response.destroy();
		};
		response.flushHeaders();
		const reader = body.getReader();
		const disconnected = once(response, "close").then(() => ({ done: true as const, value: undefined }));
		try {
			for (;;) {
				const { done, value } = await Promise.race([reader.read(), disconnected]);
				if (done) return;
				if (!response.write(value)) await drained(response, clock, disconnect);
			}
		} finally {
			await reader.cancel().catch(() => undefined);
		}
	}

	async #readBody({ request, response }: McpRequest): Promise<string> {
		const tooLong = (): Refused =>
			new Refused(413, rpcCodes.refused, mcpErrorTexts.longMessage({ maxBytes }));
		if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLong();
		if (/^100-continue$/i.test(request.headers.expect ?? "")) response.writeContinue();
		const timer = this.#options.clock.after(bodyMs, () => request.destroy());
		const chunks: Buffer[] = [];
		let bytes = 0;
		try {
			for await (const chunk of request) {
				// The cast is safe because no encoding is set.
				chunks.push(chunk as Buffer);
				bytes += (chunk as Buffer).length;
				if (bytes > maxBytes) throw tooLong();
			}
		} finally {
			timer.cancel();
		}
		return Buffer.concat(chunks).toString("utf8");
	}

	#refuse({ request, response }: McpRequest, reason: unknown): void {
		const refused = reason instanceof Refused ? reason : undefined;
		if (!refused) this.#options.log.error("an MCP request could not be answered", { error: reason });
		const { status, code, message, id } =
			refused ?? new Refused(500, rpcCodes.refused, mcpErrorTexts.internalError);
		const text = JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message } });
		response.writeHead(status, {
			...commonHeaders,
			"content-type": "application/json",
			"content-length": Buffer.byteLength(text),
			...defined({
				allow: status === 405 ? "POST, DELETE" : undefined,
				"retry-after": status === 429 || status === 503 ? "1" : undefined,
				// The connection closes if the body was not read to its end.
				connection: request.complete ? undefined : "close",
			}),
		});
		response.end(text);
		if (!request.complete) request.resume();
	}
}

const commonHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
