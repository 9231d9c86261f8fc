import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { ParleyError, parseJson } from "@parley/base";
import { type WebSocket, WebSocketServer } from "ws";
import { Connection } from "./gateway/connection.ts";
import type { Upload } from "./platform/attachments.ts";
import { readLink } from "./platform/links.ts";
import type { Simulator } from "./platform/simulator.ts";
import type { RestRequest, RestResponse } from "./rest/exchange.ts";

const api = "/api/v10";

/** Discord simulator with an HTTP and WebSocket server on a loopback port. */
export class DiscordServer {
	readonly simulator: Simulator;
	readonly #server: Server;
	readonly #sockets = new WebSocketServer({ noServer: true });
	readonly #failures: unknown[] = [];

	private constructor(simulator: Simulator) {
		this.simulator = simulator;
		this.#server = createServer((request, response) => {
			this.#serve(request, response).catch((reason: unknown) => {
				this.#failures.push(reason);
				response.destroy();
			});
		});
		this.#server.on("upgrade", (request, socket, head) => {
			this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#accept(webSocket));
		});
	}

	static async start(simulator: Simulator): Promise<DiscordServer> {
		const server = new DiscordServer(simulator);
		await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
		simulator.state.cdn = server.cdnUrl;
		simulator.state.gatewayUrl = `ws://${server.#host}`;
		return server;
	}

	/** Returns the value for the option `rest.api` of a client. */
	get apiUrl(): string {
		return `http://${this.#host}/api`;
	}

	/** Returns the value for the option `rest.cdn` of a client. */
	get cdnUrl(): string {
		return `http://${this.#host}`;
	}

	get #host(): string {
		// The cast is safe because the server listens on a TCP port.
		return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	/** Stops the server. Throws if the simulator failed, or if violations of Discord's rules were not read. */
	async close(): Promise<void> {
		for (const socket of this.#sockets.clients) socket.terminate();
		const closed = new Promise((resolve) => this.#server.close(resolve));
		this.#server.closeAllConnections();
		await closed;
		const [failure] = this.#failures;
		if (failure !== undefined) throw failure;
		this.simulator.close();
	}

	[Symbol.asyncDispose](): Promise<void> {
		return this.close();
	}

	#accept(webSocket: WebSocket): void {
		const { gateway, clock, state } = this.simulator;
		const { heartbeatMs } = state.settings;
		const connection = new Connection(gateway, webSocket, { clock, heartbeatMs });
		webSocket.on("message", (data) => connection.receive(String(data)));
		webSocket.on("close", (code) => connection.closed(code));
		webSocket.on("error", () => webSocket.terminate());
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? "/", this.cdnUrl);
		if (url.pathname.startsWith("/attachments/")) {
			this.#file(url, response);
			return;
		}
		const read = await readRequest(request, url);
		const answer = await this.simulator.network.carry(read).catch((reason: unknown) => {
			// Without a response, the connection is closed.
			if (reason instanceof ParleyError && reason.code === "unavailable") return undefined;
			throw reason;
		});
		if (answer) write(response, answer);
		else response.destroy();
	}

	/**
	 * Sends the file of a link. Responds with 404 if the link is invalid or has expired:
	 * https://discord.com/developers/docs/reference#signed-attachment-cdn-urls
	 */
	#file(url: URL, response: ServerResponse): void {
		const file = readLink(this.simulator.state, url.href);
		if (!file) {
			response.writeHead(404, { "content-type": "text/plain" }).end("This content is no longer available.");
			return;
		}
		response.writeHead(200, { "content-type": file.type, "content-length": file.bytes.byteLength });
		response.end(file.bytes);
	}
}

function write(response: ServerResponse, { status, headers, body }: RestResponse): void {
	const text = body === null ? undefined : JSON.stringify(body);
	response.writeHead(status, {
		...headers,
		...(text !== undefined && { "content-type": "application/json" }),
	});
	response.end(text);
}

async function readRequest(request: IncomingMessage, url: URL): Promise<RestRequest> {
	const { method = "GET", headers } = request;
	const bytes = await buffer(request);
	const type = headers["content-type"] ?? "";
	const content = type.startsWith("multipart/form-data")
		? await readForm(bytes, type)
		: {
				body: bytes.byteLength > 0 ? parseJson(bytes.toString("utf8"), { maxNodes: 100_000 }) : undefined,
				files: [],
			};
	return {
		...content,
		method,
		path: url.pathname.startsWith(api) ? url.pathname.slice(api.length) : `/unversioned${url.pathname}`,
		query: Object.fromEntries(url.searchParams),
		authorization: headers.authorization,
	};
}

/** Reads the parts `payload_json` and `files[N]`: https://discord.com/developers/docs/reference#uploading-files */
async function readForm(
	bytes: Buffer,
	type: string,
): Promise<{ readonly body: unknown; readonly files: Upload[] }> {
	const form = await new Response(Uint8Array.from(bytes), { headers: { "content-type": type } }).formData();
	const json = form.get("payload_json");
	const files: Upload[] = [];
	for (const [field, value] of form) {
		const index = /^files\[(\d+)\]$/.exec(field)?.[1];
		if (index === undefined || typeof value === "string") continue;
		files.push({ index: Number(index), name: value.name, bytes: await value.bytes() });
	}
	return { body: typeof json === "string" ? parseJson(json, { maxNodes: 100_000 }) : {}, files };
}
