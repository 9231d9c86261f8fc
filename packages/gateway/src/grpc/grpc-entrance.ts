import type { Socket } from "node:net";
import type { Logger } from "@parley/base";
import type { GrpcServer } from "./grpc-server.ts";

/** Loads a gRPC server with the first connection: most gateways have no gRPC client. */
export class GrpcEntrance {
	/** Its name in the metrics. */
	readonly wire = "grpc";
	readonly #load: () => Promise<GrpcServer>;
	readonly #log: Logger;
	#loading: Promise<GrpcServer | undefined> | undefined;
	#server: GrpcServer | undefined;

	constructor(load: () => Promise<GrpcServer>, log: Logger) {
		this.#load = load;
		this.#log = log;
	}

	/** Number of open calls of authenticated clients. */
	get clients(): number {
		return this.#server?.calls ?? 0;
	}

	get waitingBytes(): number {
		return this.#server?.waitingBytes ?? 0;
	}

	/** Serves a connection that speaks HTTP/2, unread. Closes it if the server cannot be loaded; the next one tries again. */
	accept(socket: Socket): void {
		this.#loading ??= this.#start();
		void this.#loading.then((server) => (server ? server.accept(socket) : socket.destroy()));
	}

	/** See `GrpcServer.drain`. */
	drain(): void {
		void this.#loading?.then((server) => server?.drain());
	}

	/** See `GrpcServer.close`. */
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
