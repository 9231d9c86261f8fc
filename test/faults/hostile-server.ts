import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Random } from "../random.ts";
import type { ReplyBlock } from "../simulators/anthropic/reply.ts";
import type { ProviderReply, ProviderWire } from "../simulators/providers/wire.ts";

export interface Scene {
	readonly response: ServerResponse;
	readonly random: Random;
	readonly wire: ProviderWire;
	/** URL of another server on this machine, which the client must not call. */
	readonly secret: string;
}

export type Attack = (scene: Scene) => unknown;

/** A server with the API of a provider family. While `attack` is set, each response is an attack. */
export class HostileServer implements AsyncDisposable {
	attack: Attack | undefined;
	/** Number of bytes sent on the connections of closed responses. */
	sent = 0;
	/** Number of requests to the other server. */
	stolen = 0;
	readonly #wire: ProviderWire;
	readonly #random: Random;
	readonly #servers = [
		createServer((request, response) => void this.#serve(request, response)),
		createServer((_, response) => {
			this.stolen += 1;
			response.end("{}");
		}),
	] as const;

	private constructor(wire: ProviderWire, random: Random) {
		this.#wire = wire;
		this.#random = random;
	}

	static async start(wire: ProviderWire, random: Random): Promise<HostileServer> {
		const started = new HostileServer(wire, random);
		for (const server of started.#servers) {
			server.listen(0, "127.0.0.1");
			await once(server, "listening");
		}
		return started;
	}

	get url(): string {
		return `${this.#address(0)}${this.#wire.base}`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const server of this.#servers) {
			const closed = once(server, "close");
			server.close();
			server.closeAllConnections();
			await closed;
		}
	}

	#address(index: 0 | 1): string {
		// The cast is safe because the server listens on a TCP port.
		const { port } = this.#servers[index].address() as AddressInfo;
		return `http://127.0.0.1:${port}`;
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		request.resume();
		// A client that gives up closes the connection.
		response.on("error", () => undefined);
		const { socket } = request;
		response.once("close", () => {
			this.sent += socket.bytesWritten;
		});
		const wire = this.#wire;
		if (!this.attack)
			return answer(response, streamOf(wire, { content: [{ type: "text", text: "Still here." }] }));
		await Promise.resolve(this.attack({ response, random: this.#random, wire, secret: this.#address(1) }));
	}
}

export function streamOf(wire: ProviderWire, reply: ProviderReply): string {
	const counted = { input: 10, cached: 0, output: 3, reasoning: 0 };
	const events = wire.events(reply, { id: "r", model: "m", counted }, { seals: new Map() });
	return `${events.map((event) => wire.form.frame(event)).join("")}${wire.form.end}`;
}

/** Returns the start of a stream with this `block`, up to its last delta. */
export function beginningOf(wire: ProviderWire, block: ReplyBlock): string {
	const reply: ProviderReply = { content: [block], cut: (text) => [text] };
	const counted = { input: 10, cached: 0, output: 3, reasoning: 0 };
	const events = wire.events(reply, { id: "r", model: "m", counted }, { seals: new Map() });
	const end = events.findLastIndex((event) => wire.form.isDelta(event));
	return events
		.slice(0, end + 1)
		.map((event) => wire.form.frame(event))
		.join("");
}

export function answer(response: ServerResponse, stream: string | Uint8Array): void {
	response.writeHead(200, { "content-type": "text/event-stream" });
	response.end(stream);
}

export async function pour(response: ServerResponse, piece: () => string | Uint8Array): Promise<void> {
	const closed = once(response, "close");
	while (!response.destroyed) {
		if (!response.write(piece())) await Promise.race([once(response, "drain"), closed]);
	}
}
