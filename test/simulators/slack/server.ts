import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { ParleyError, parseJson } from "@parley/base";
import { HttpEvents } from "./events/http.ts";
import { Sockets } from "./events/sockets.ts";
import { fileAt, loginPage, storeUpload } from "./platform/files.ts";
import type { Simulator } from "./platform/simulator.ts";
import type { ApiRequest, ApiResponse } from "./web-api/exchange.ts";

const limits = { maxDepth: 64, maxNodes: 100_000 };

interface Exchange {
	readonly request: IncomingMessage;
	readonly response: ServerResponse;
	readonly bytes: Buffer;
}

/** Slack simulator with an HTTP and WebSocket server on a loopback port. */
export class SlackServer {
	readonly simulator: Simulator;
	readonly sockets: Sockets;
	readonly #server: Server;
	readonly #listeners = new Set<() => void>();
	readonly #receivers: (() => void)[] = [];
	readonly #failures: unknown[] = [];

	private constructor(simulator: Simulator) {
		this.simulator = simulator;
		this.sockets = new Sockets(simulator, () => this.#changed());
		this.#server = createServer((request, response) => {
			this.#serve(request, response).catch((reason: unknown) => {
				this.#failures.push(reason);
				response.destroy();
			});
		});
		this.#server.on("upgrade", (request, stream, head) => this.sockets.upgrade(request, stream, head));
	}

	static async start(simulator: Simulator): Promise<SlackServer> {
		const server = new SlackServer(simulator);
		await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
		const { state } = simulator;
		Object.assign(state.hosts, { files: server.#origin, hooks: server.#origin });
		state.socketUrl = () => server.sockets.address(server.#host);
		return server;
	}

	/** Returns the value for the option `slackApiUrl` of a client. */
	get apiUrl(): string {
		return `${this.#origin}/api/`;
	}

	get #host(): string {
		// The cast is safe because the server listens on a TCP port.
		return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
	}

	get #origin(): string {
		return `http://${this.#host}`;
	}

	/**
	 * Adds a listener, which is called after each change by a socket, a request, or a delivery to a request
	 * URL.
	 */
	listen(listener: () => void): void {
		this.#listeners.add(listener);
	}

	sendsTo(url: string): HttpEvents {
		const events = new HttpEvents(this.simulator, url, () => this.#changed());
		this.#receivers.push(this.simulator.delivery.attach(events));
		return events;
	}

	/** Stops the server. Throws if the simulator failed, or if violations of Slack's rules were not read. */
	async close(): Promise<void> {
		for (const detach of this.#receivers.splice(0)) detach();
		this.sockets.close();
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

	#changed(): void {
		for (const listener of this.#listeners) listener();
	}

	async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? "/", this.#origin);
		const bytes = await buffer(request);
		const answered = this.#answer(url, { request, response, bytes });
		this.#changed();
		await answered;
		this.#changed();
	}

	async #answer(url: URL, { request, response, bytes }: Exchange): Promise<void> {
		const [, method] = /^\/api\/([\w.]+)$/.exec(url.pathname) ?? [];
		if (method !== undefined) await this.#api(this.#read(method, request, bytes), response);
		else if (url.pathname.startsWith("/upload/")) await this.#upload(url, bytes, response);
		else if (url.pathname.startsWith("/files-pri/")) await this.#file(url, request, response);
		else await this.#respond(url, bytes, response);
	}

	/**
	 * Reads a call. It is a form or JSON, with its token in a header or among the arguments:
	 * https://docs.slack.dev/apis/web-api#basics
	 */
	#read(method: string, request: IncomingMessage, bytes: Buffer): ApiRequest {
		const text = bytes.toString("utf8");
		const isJson = request.headers["content-type"]?.startsWith("application/json") === true;
		const { token, ...args } = isJson
			? Object(parseJson(text, limits))
			: this.simulator.api.readForm(method, Object.fromEntries(new URLSearchParams(text)));
		return { method, args, token: tokenOf(request) ?? token };
	}

	async #api(call: ApiRequest, response: ServerResponse): Promise<void> {
		const { api, network, state } = this.simulator;
		// This method needs no token and has no rate limit: https://docs.slack.dev/reference/methods/api.test
		const answer =
			call.method === "api.test"
				? { status: 200, headers: {}, body: { ok: true } }
				: await answered(network.carry(call.method, () => api.answer(call)));
		if (answer === undefined) {
			response.destroy();
			return;
		}
		const scopes = call.token === state.app.appToken ? ["connections:write"] : [...state.app.scopes];
		// Each response lists the scopes:
		// https://docs.slack.dev/authentication/installing-with-oauth#working-with-scopes
		writeJson(response, { ...answer, headers: { ...answer.headers, "x-oauth-scopes": scopes.join(",") } });
	}

	/**
	 * Stores uploaded bytes. Responds with a line of text:
	 * https://docs.slack.dev/messaging/working-with-files#uploading_files
	 */
	async #upload(url: URL, bytes: Buffer, response: ServerResponse): Promise<void> {
		const { state, network } = this.simulator;
		const carried = network.carry("upload", () => {
			const ok = storeUpload(state, url.href, bytes);
			return { status: ok ? 200 : 400, headers: {}, body: { ok } };
		});
		const answer = await answered(carried);
		if (answer === undefined) response.destroy();
		else {
			response.writeHead(answer.status, { ...answer.headers, "content-type": "text/plain" });
			response.end(answer.body["ok"] === true ? `OK - ${bytes.length}` : "invalid_upload");
		}
	}

	/**
	 * Sends a file, or status 404 if the file does not exist. Sends the sign-in page instead if the caller lacks the
	 * bot token or the app lacks `files:read`: https://docs.slack.dev/reference/objects/file-object#authentication
	 */
	async #file(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
		const { state, network, token } = this.simulator;
		const file = fileAt(state, `${url.origin}${url.pathname}`);
		const carried = network.carry("download", () => ({
			...{ status: file?.bytes ? 200 : 404, headers: {}, body: {} },
		}));
		const answer = await answered(carried);
		if (answer === undefined) response.destroy();
		else if (answer.status !== 200 || !file?.bytes) response.writeHead(answer.status).end();
		else if (tokenOf(request) === token && state.app.scopes.has("files:read")) {
			response.writeHead(200, { "content-type": file.type, "content-length": file.bytes.byteLength });
			response.end(file.bytes);
		} else response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(loginPage);
	}

	/**
	 * Handles a request to a response URL:
	 * https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
	 */
	async #respond(url: URL, bytes: Buffer, response: ServerResponse): Promise<void> {
		const body = parseJson(bytes.toString("utf8"), limits);
		const carried = this.simulator.network.carry("response_url", () =>
			this.simulator.respond(url.href, body),
		);
		const answer = await answered(carried);
		if (answer === undefined) response.destroy();
		else if (answer.status === 200 && answer.body["ok"] === true) response.end("ok");
		else writeJson(response, answer);
	}
}

function answered(carried: Promise<ApiResponse>): Promise<ApiResponse | undefined> {
	return carried.catch((reason: unknown) => {
		if (reason instanceof ParleyError && reason.code === "unavailable") return undefined;
		throw reason;
	});
}

function writeJson(response: ServerResponse, { status, headers, body }: ApiResponse): void {
	response.writeHead(status, { ...headers, "content-type": "application/json; charset=utf-8" });
	response.end(JSON.stringify(body));
}

function tokenOf({ headers }: IncomingMessage): string | undefined {
	return /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
}
