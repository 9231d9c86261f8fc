import { once } from "node:events";
import {
	type ClientHttp2Session,
	type ClientHttp2Stream,
	connect,
	type IncomingHttpHeaders,
} from "node:http2";
import { type AddressInfo, connect as connectTcp, createServer, type Server, type Socket } from "node:net";
import { Watch } from "../../watch.ts";

/**
 * Forwards one TCP connection to the gateway. After `cut`, the relay drops all data, but keeps both sides of the
 * connection open.
 */
export class Relay implements AsyncDisposable {
	readonly #server: Server;
	readonly #sockets: Socket[] = [];
	#isCut = false;

	private constructor(server: Server, target: Endpoint) {
		this.#server = server;
		server.once("connection", (client) => this.#forward(client, connectTcp(target)));
	}

	static async open(url: string): Promise<Relay> {
		const server = createServer();
		server.listen(0, "127.0.0.1");
		await once(server, "listening");
		return new Relay(server, endpointOf(url));
	}

	get port(): number {
		// The cast is safe because the server listens on a TCP port.
		return (this.#server.address() as AddressInfo).port;
	}

	cut(): void {
		this.#isCut = true;
	}

	#forward(client: Socket, gateway: Socket): void {
		for (const [from, to] of [
			[client, gateway],
			[gateway, client],
		] as const) {
			this.#sockets.push(from);
			from.on("data", (chunk) => this.#isCut || to.write(chunk));
			from.on("error", () => undefined);
			from.on("close", () => to.destroy());
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const socket of this.#sockets) socket.destroy();
		this.#server.close();
		await once(this.#server, "close");
	}
}

interface Endpoint {
	readonly host: string;
	readonly port: number;
}

function endpointOf(url: string): Endpoint {
	const { hostname: host, port } = new URL(url);
	return { host, port: Number(port) };
}

export class RawCall {
	readonly #stream: ClientHttp2Stream;
	readonly #changes = new Watch();
	#isAnswered = false;
	#isClosed = false;
	#status: string | undefined;
	#message = "";

	constructor(stream: ClientHttp2Stream) {
		this.#stream = stream;
		const receiveHeaders = (headers: IncomingHttpHeaders): void => {
			this.#isAnswered = true;
			const status = headers["grpc-status"];
			if (status !== undefined) {
				this.#status = String(status);
				this.#message = decodeURI(String(headers["grpc-message"] ?? ""));
			}
			this.#changes.notify();
		};
		stream.on("response", receiveHeaders);
		stream.on("trailers", receiveHeaders);
		stream.on("error", () => undefined);
		stream.on("close", () => {
			this.#isClosed = true;
			this.#changes.notify();
		});
		stream.resume();
	}

	get isAnswered(): boolean {
		return this.#isAnswered;
	}

	get hasEnded(): boolean {
		return this.#isClosed || this.#status !== undefined;
	}

	send(message: Buffer): void {
		const head = Buffer.alloc(5);
		head.writeUInt32BE(message.length, 1);
		this.#stream.write(Buffer.concat([head, message]));
	}

	end(): void {
		this.#stream.end();
	}

	cancel(): void {
		this.#stream.close(8);
	}

	answered(): Promise<void> {
		return this.#changes.until("the gateway answers a call", () => this.#isAnswered || this.#isClosed);
	}

	async ended(): Promise<{
		readonly status: number | undefined;
		readonly message: string;
		readonly reset: number;
	}> {
		await this.#changes.until("a call ends", () => this.hasEnded);
		const status = this.#status === undefined ? undefined : Number(this.#status);
		return { status, message: this.#message, reset: this.#stream.rstCode ?? 0 };
	}
}

/** A bare HTTP/2 connection for several gRPC calls. */
export class RawConnection implements AsyncDisposable {
	readonly #session: ClientHttp2Session;

	/** Connects to `url`. `port` replaces the port of the URL. */
	constructor(url: string, { port = endpointOf(url).port }: { readonly port?: number } = {}) {
		const { host } = endpointOf(url);
		this.#session = connect(url, {
			createConnection: () => connectTcp({ host, port }),
			// Maximum number of concurrent calls before the client knows the limit of the gateway.
			peerMaxConcurrentStreams: 1_000,
			// Memory limit of the HTTP/2 session in megabytes. The default is 10.
			maxSessionMemory: 100,
			maxSendHeaderBlockLength: 200_000,
			maxOutstandingPings: 1_000,
		});
		this.#session.on("error", () => undefined);
	}

	call(path: string, headers: Readonly<Record<string, string>> = {}): RawCall {
		return new RawCall(
			this.#session.request({
				...{ ":method": "POST", ":path": path, "content-type": "application/grpc", te: "trailers" },
				...headers,
			}),
		);
	}

	/**
	 * Returns the limit of concurrent calls from the gateway's HTTP/2 settings, or undefined while the client is
	 * connecting.
	 */
	get maxCalls(): number | undefined {
		return this.#session.remoteSettings?.maxConcurrentStreams;
	}

	/** Resolves when the next PING of the gateway arrives. */
	async pinged(): Promise<void> {
		await once(this.#session, "ping");
	}

	/**
	 * Sends a PING. Resolves with true when the gateway has acknowledged the PING, and has therefore read all earlier
	 * data. Resolves with false if the connection closes before the acknowledgement.
	 */
	reached(): Promise<boolean> {
		if (this.#session.destroyed || this.#session.closed) return Promise.resolve(false);
		const { promise, resolve } = Promise.withResolvers<boolean>();
		this.#session.ping((error) => resolve(error === null));
		return promise;
	}

	async closed(): Promise<void> {
		if (!this.#session.destroyed) await once(this.#session, "close");
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#session.destroy();
	}
}
