import { once } from "node:events";
import { type FileHandle, open } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { ParleyError, type Timer } from "@parley/base";
import { shownTarget } from "./connect-target.ts";
import { refuse, serveConnect, type TunnelDeps } from "./tunnel.ts";

const MAX_HEAD_BYTES = 8 * 1024;
const MAX_HEAD_MS = 10_000;
const MAX_AT_ONCE = 128;
/** Of one command: each is told to the log and to the audit. */
const MAX_CONNECTIONS = 5_000;

/** A proxy for one command, on a socket of its own: it knows CONNECT and forwards nothing but tunnels. */
export class EgressProxy implements AsyncDisposable {
	readonly socketPath: string;
	readonly #deps: TunnelDeps;
	readonly #directory: FileHandle;
	readonly #server: Server;
	readonly #ended = new AbortController();
	/** All connections, with the end of the time for the request of those that have not said it. */
	readonly #clients = new Map<Socket, Timer>();
	#accepted = 0;

	/** Listens at a name in a directory, of which it is assumed that nobody else may enter it. */
	static async open(directory: string, name: string, deps: TunnelDeps): Promise<EgressProxy> {
		const proxy = new EgressProxy(join(directory, name), await open(directory), deps);
		try {
			await proxy.#listen(name);
		} catch (reason) {
			await proxy.#directory.close();
			throw reason;
		}
		return proxy;
	}

	private constructor(socketPath: string, directory: FileHandle, deps: TunnelDeps) {
		this.socketPath = socketPath;
		this.#directory = directory;
		this.#deps = deps;
		// Time is measured by the clock that was given.
		const times = { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: 0 };
		this.#server = createServer({ ...times, maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false });
		this.#server.maxConnections = MAX_AT_ONCE;
		this.#server.maxRequestsPerSocket = 1;
	}

	/** Ends all connections. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#ended.abort(new ParleyError("the command has ended", { code: "cancelled" }));
		const closed = once(this.#server, "close");
		this.#server.close();
		for (const client of this.#clients.keys()) client.destroy();
		await closed;
		await this.#directory.close();
	}

	async #listen(name: string): Promise<void> {
		const server = this.#server;
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
		// Names of sockets have 107 bytes at most, those of data directories may have more: the kernel is shown this one
		// by way of its directory. https://man7.org/linux/man-pages/man7/unix.7.html
		server.listen(`/proc/self/fd/${this.#directory.fd}/${name}`);
		await once(server, "listening");
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
