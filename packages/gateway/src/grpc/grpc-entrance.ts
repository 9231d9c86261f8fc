import type { Socket } from "node:net";
import type { Logger } from "@parley/base";
import type { GrpcServer } from "./grpc-server.ts";

/** The way to a gRPC server that is loaded with its first connection: most gateways have no client of it. */
export class GrpcEntrance {
	readonly #load: () => Promise<GrpcServer>;
	readonly #log: Logger;
	#server: Promise<GrpcServer> | undefined;

	constructor(load: () => Promise<GrpcServer>, log: Logger) {
		this.#load = load;
		this.#log = log;
	}

	/** Serves a connection that speaks HTTP/2, unread. */
	accept(socket: Socket): void {
		this.#server ??= this.#load();
		this.#server.then(
			(server) => server.accept(socket),
			(error: unknown) => {
				this.#log.error("gRPC is not available", { error });
				socket.destroy();
			},
		);
	}

	/** See `GrpcServer.drain`. */
	drain(): void {
		this.#server?.then(
			(server) => server.drain(),
			// Logged with its first connection.
			() => undefined,
		);
	}

	/** See `GrpcServer.close`. */
	async close(graceMs: number): Promise<void> {
		// A server that could not be loaded has no connections, and its error is logged.
		const server = await this.#server?.catch(() => undefined);
		await server?.close(graceMs);
	}
}
