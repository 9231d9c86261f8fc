import { once } from "node:events";
import { createServer, type Server as HttpServer, type IncomingMessage } from "node:http";
import type { Server, Socket } from "node:net";
import { ParleyError, type Timer } from "@parley/base";
import { shownTarget } from "./connect-target.ts";
import { refuse, serveConnect, type TunnelDeps } from "./tunnel.ts";

const MAX_HEAD_BYTES = 8 * 1024;
const MAX_HEAD_MS = 10_000;
const MAX_AT_ONCE = 128;
/** Maximum for one command, because each is logged and audited. */
const MAX_CONNECTIONS = 5_000;

/** Proxy of one command. Supports CONNECT only, and forwards nothing outside of tunnels. */
export class EgressProxy implements AsyncDisposable {
	readonly #deps: TunnelDeps;
	readonly #server: HttpServer;
	readonly #ended = new AbortController();
	/** Open connections, with the timer for the request of those that have not sent one. */
	readonly #clients = new Map<Socket, Timer>();
	#accepted = 0;

	constructor(deps: TunnelDeps) {
		this.#deps = deps;
		// Time is measured by the clock that was given.
		const times = { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 };
		const server = createServer({ ...times, maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false });
		server.maxConnections = MAX_AT_ONCE;
		server.maxRequestsPerSocket = 1;
		server.on("connection", (socket) => this.#accept(socket));
		server.on("drop", () => this.#tellRefused("", `more than ${MAX_AT_ONCE} connections at once`));
		server.on("request", (request) => this.#refuse(request.socket, "403 Forbidden", request));
		server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
			const large = error.code === "HPE_HEADER_OVERFLOW";
			this.#refuse(socket, large ? "431 Request Header Fields Too Large" : "400 Bad Request");
		});
		server.on("connect", (request, client, head) => {
			// After another request, which was refused.
			if (!client.writable) return void client.destroy();
			this.#clients.get(request.socket)?.cancel();
			const asked = { authority: request.url ?? "", client, head };
			void serveConnect(asked, this.#deps, this.#ended.signal);
		});
		this.#server = server;
	}

	/** Serves the connections to the TCP socket of this server, which already listens, until the proxy is disposed. */
	serve(listener: Server): void {
		if (this.#ended.signal.aborted) return void listener.close();
		this.#server.listen(listener);
	}

	/** Ends all connections. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#ended.abort(new ParleyError("the command has ended", { code: "cancelled" }));
		const closed = this.#server.listening ? once(this.#server.close(), "close") : undefined;
		for (const client of this.#clients.keys()) client.destroy();
		await closed;
	}

	#accept(socket: Socket): void {
		this.#accepted += 1;
		if (this.#accepted > MAX_CONNECTIONS) return void socket.destroy();
		if (this.#accepted === MAX_CONNECTIONS) this.#tellRefused("", `all after ${MAX_CONNECTIONS} connections`);
		const timer = this.#deps.clock.after(MAX_HEAD_MS, () => socket.destroy());
		this.#clients.set(socket, timer);
		socket.once("close", () => {
			timer.cancel();
			this.#clients.delete(socket);
		});
	}

	/** What is no CONNECT, or nothing at all. */
	#refuse(client: Socket, status: string, request?: IncomingMessage): void {
		const why = request
			? "only https is reached, by CONNECT to port 443: use a URL that begins with https://"
			: "not a request that can be read";
		if (client.writable) refuse(client, status, why);
		else client.destroy();
		this.#tellRefused(request?.url ?? "", why);
	}

	#tellRefused(target: string, reason: string): void {
		void this.#deps.tell({ target: shownTarget(target), decision: "refused", reason });
	}
}
