import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { type Clock, defined, ParleyError, parseJson } from "@parley/base";
import { createParser } from "eventsource-parser";
import { answerError, beginRequest, type HttpAddress, unreachable } from "../client/gateway-http.ts";
import { mcpServeTexts } from "../texts/gateway/mcp.ts";

export interface McpBridgeOptions {
	readonly clock: Clock;
	/** Finds the address of the gateway. The address may change at a restart. */
	readonly find: () => Promise<HttpAddress>;
	/** Writes one message to the client. */
	readonly write: (line: string) => void;
}

type Id = string | number;

interface Message {
	readonly text: string;
	readonly id: Id | undefined;
	readonly method: string | undefined;
}

/** Limits of responses. Higher than the defaults, because a transcript can be larger than a client's message. */
const answerLimits = { maxDepth: 256, maxNodes: 1_000_000 };

/** Milliseconds that the gateway has to end the MCP session when the client leaves. */
const endTimeoutMs = 1_000;

const codes = { parse: -32_700, internal: -32_603 } as const;

/**
 * Passes messages between an MCP client on standard input and output, and the MCP endpoint of the gateway.
 * Repeats a request only if the gateway refused it because of an unknown session, for example after a
 * restart.
 */
export class McpBridge {
	readonly #options: McpBridgeOptions;
	readonly #stop = new AbortController();
	readonly #open = new Set<Promise<void>>();
	#sessionId: string | undefined;
	#revision: string | undefined;
	/** The last `initialize` message of the client, which can open another session. */
	#initialize: Message | undefined;

	constructor(options: McpBridgeOptions) {
		this.#options = options;
	}

	/**
	 * Sends one line. Resolves when the gateway has accepted or refused the line, so that messages stay in order. Never
	 * rejects.
	 */
	async receive(line: string): Promise<void> {
		if (line.trim() === "") return;
		const message = readMessage(line);
		if (!message) return this.refuse(mcpServeTexts.invalidMessage);
		if (message.method === "initialize") {
			this.#initialize = message;
			this.#sessionId = undefined;
			this.#revision = undefined;
		}
		try {
			await this.#deliver(message);
		} catch (reason) {
			if (this.#stop.signal.aborted) return;
			this.#fail(message, ParleyError.from(reason).message);
		}
	}

	/** Responds to a line that is not a valid message. */
	refuse(why: string): void {
		this.#write({ jsonrpc: "2.0", id: null, error: { code: codes.parse, message: why } });
	}

	/** Aborts the open requests and ends the MCP session. Runs continue in the gateway. */
	async close(): Promise<void> {
		this.#stop.abort();
		await Promise.all(this.#open);
		if (this.#sessionId === undefined) return;
		const timeout = new AbortController();
		const timer = this.#options.clock.after(endTimeoutMs, () => timeout.abort());
		const ending = this.#begin("", "DELETE", timeout.signal);
		// A failure is harmless, because the gateway ends unused sessions by itself.
		await ending.then((response) => response.resume()).catch(() => undefined);
		timer.cancel();
	}

	async #deliver(message: Message): Promise<void> {
		const first = message.method === "initialize" ? undefined : this.#initialize;
		// There is no MCP session if an earlier attempt to open it has failed.
		if (!first || this.#sessionId !== undefined) {
			const response = await this.#post(message.text);
			if (response.statusCode !== 404 || this.#sessionId === undefined || !first) {
				return this.#take(response, message);
			}
			response.resume();
		}
		await this.#reopen(first);
		return this.#take(await this.#post(message.text), message);
	}

	/**
	 * Opens another MCP session with the client's `initialize` message. Needs no further message of the client.
	 * Rejects if the gateway refuses the new session.
	 */
	async #reopen({ text: first }: Message): Promise<void> {
		this.#sessionId = undefined;
		this.#revision = undefined;
		const response = await this.#post(first);
		if (response.statusCode !== 200) {
			throw refusalIn(await this.#options.find(), response, await text(response));
		}
		this.#storeSession(response);
		await this.#read(response, (answer) => this.#storeRevision(answer));
		const ready = await this.#post('{"jsonrpc":"2.0","method":"notifications/initialized"}');
		ready.resume();
	}

	async #take(response: IncomingMessage, message: Message): Promise<void> {
		if (message.method === "initialize") this.#storeSession(response);
		const reading = this.#pass(response, message);
		// Later messages need the protocol revision, which is in the body of this response.
		if (message.method === "initialize") return reading;
		this.#open.add(reading);
		void reading.finally(() => this.#open.delete(reading));
	}

	/** Passes the messages in a response to the client. Never rejects. */
	async #pass(response: IncomingMessage, message: Message): Promise<void> {
		let isAnswered = false;
		try {
			if (response.statusCode === 202) return void response.resume();
			if (response.statusCode !== 200)
				throw refusalIn(await this.#options.find(), response, await text(response));
			await this.#read(response, (answer) => {
				if (message.method === "initialize") this.#storeRevision(answer);
				isAnswered ||= isAnswerTo(answer, message);
				this.#write(answer);
			});
		} catch (reason) {
			if (!this.#stop.signal.aborted) this.#fail(message, wordsOf(reason));
			isAnswered = true;
		}
		if (!isAnswered && !this.#stop.signal.aborted) this.#fail(message, mcpServeTexts.connectionLost);
	}

	async #read(response: IncomingMessage, onMessage: (message: unknown) => void): Promise<void> {
		if (!/^text\/event-stream/i.test(response.headers["content-type"] ?? "")) {
			onMessage(parseJson(await text(response), answerLimits));
			return;
		}
		const parser = createParser({
			onEvent: ({ data }) => {
				if (data !== "") onMessage(parseJson(data, answerLimits));
			},
		});
		response.setEncoding("utf8");
		for await (const chunk of response) parser.feed(String(chunk));
	}

	#post(body: string): Promise<IncomingMessage> {
		return this.#begin(body, "POST", this.#stop.signal);
	}

	async #begin(body: string, method: "POST" | "DELETE", signal: AbortSignal): Promise<IncomingMessage> {
		const address = await this.#options.find();
		const headers = {
			accept: "application/json, text/event-stream",
			"content-type": "application/json",
			"content-length": String(Buffer.byteLength(body)),
			...defined({ "mcp-session-id": this.#sessionId, "mcp-protocol-version": this.#revision }),
		};
		const request = beginRequest(address, "/mcp", { method, headers, signal });
		request.end(body);
		try {
			const [response] = await once(request, "response");
			request.on("error", () => undefined);
			return response;
		} catch (cause) {
			throw unreachable(address, cause);
		}
	}

	#storeSession({ headers }: IncomingMessage): void {
		const id = headers["mcp-session-id"];
		this.#sessionId = typeof id === "string" ? id : undefined;
	}

	#storeRevision(answer: unknown): void {
		const { protocolVersion } = Object(Object(answer).result);
		if (typeof protocolVersion === "string") this.#revision = protocolVersion;
	}

	/** Responds to a request with an error. Other messages get no response. */
	#fail({ id, method }: Message, message: string): void {
		if (id === undefined || method === undefined) return;
		this.#write({ jsonrpc: "2.0", id, error: { code: codes.internal, message } });
	}

	#write(message: unknown): void {
		this.#options.write(JSON.stringify(message));
	}
}

function readMessage(line: string): Message | undefined {
	try {
		const parsed = parseJson(line);
		if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
		const { id, method }: { id?: unknown; method?: unknown } = parsed;
		return {
			text: line,
			id: typeof id === "string" || typeof id === "number" ? id : undefined,
			method: typeof method === "string" ? method : undefined,
		};
	} catch {
		return undefined;
	}
}

function isAnswerTo(answer: unknown, { id, method }: Message): boolean {
	const { id: answered, method: own } = Object(answer);
	return method === undefined || id === undefined || (own === undefined && answered === id);
}

/**
 * Returns the error for a refused request. Prefers the message of a JSON-RPC error to an error for the status
 * code.
 */
function refusalIn(address: HttpAddress, { statusCode = 0 }: IncomingMessage, body: string): ParleyError {
	const reported = errorOfProtocol(body);
	if (reported === undefined) return answerError(address, { status: statusCode, text: body });
	return new ParleyError(reported, { code: "failed_precondition" });
}

function errorOfProtocol(body: string): string | undefined {
	try {
		const { message } = Object(Object(parseJson(body)).error);
		return typeof message === "string" ? message : undefined;
	} catch {
		return undefined;
	}
}

function wordsOf(reason: unknown): string {
	// A broken stream causes a system error, whose text says nothing about the run.
	return reason instanceof ParleyError ? reason.message : mcpServeTexts.connectionLost;
}
