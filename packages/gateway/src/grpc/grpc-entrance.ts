import type { Socket } from "node:net";
import type { Logger } from "@parley/base";
import type { GrpcServer } from "./grpc-server.ts";

/** Loads a gRPC server at the first HTTP/2 connection, because most gateways have no gRPC client. */
export class GrpcEntrance {
	/** Name of the wire in the metrics. */
	readonly wire = "grpc";
	readonly #load: () => Promise<GrpcServer>;
	readonly #log: Logger;
	#loading: Promise<GrpcServer | undefined> | undefined;
	#server: GrpcServer | undefined;

	constructor(load: () => Promise<GrpcServer>, log: Logger) {
		this.#load = load;
		this.#log = log;
	}

	/** Returns the number of open calls of authenticated clients. */
	get clients(): number {
		return this.#server?.calls ?? 0;
	}

	get waitingBytes(): number {
		return this.#server?.waitingBytes ?? 0;
	}

	/**
	 * Serves an unread connection that uses HTTP/2. If the server cannot be loaded, closes the connection. The
	 * next connection then tries to load the server again.
	 */
	accept(socket: Socket): void {
		this.#loading ??= this.#start();
		void this.#loading.then((server) => (server ? server.accept(socket) : socket.destroy()));
	}

	/** Drains the server if its loading has started: see `GrpcServer.drain`. */
	drain(): void {
		void this.#loading?.then((server) => server?.drain());
	}

	/** Closes the server if its loading has started: see `GrpcServer.close`. */
	async close(graceMs: number): Promise<void> {
		const server = await this.#loading;
		await server?.close(graceMs);
	}

	async #start(): Promise<GrpcServer | undefined> {
		try {
			this.#server = await this.#load();
		} catch (error) {
			this.#loading = undefined;
			this.#log.error(
				"the gRPC server could not be loaded, so a client was disconnected; the next connection tries again. " +
					"If this repeats, reinstall Parley and restart the gateway",
				{ error },
			);
		}
		return this.#server;
	}
}
