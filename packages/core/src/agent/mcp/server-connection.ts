import type {
	CallToolResult,
	Client,
	JsonSchemaValidatorResult,
	jsonSchemaValidator,
	Tool,
	Transport,
} from "@modelcontextprotocol/client";
import { type Clock, type Logger, ParleyError } from "@parley/base";
import { visible } from "../../text/visible.ts";
import { extrasOf } from "./resources-and-prompts.ts";

/** A transport that knows why it ended. */
export interface ServerTransport extends Transport {
	readonly problem: string | undefined;
	/** Last lines of the server's standard error. */
	readonly log: readonly string[];
}

interface ConnectionDeps {
	readonly clock: Clock;
	readonly log: Logger;
	/** Version of Parley, for the server. */
	readonly version: string;
}

interface ConnectionListener {
	/** Called at most once a second when the server announces other tools. */
	toolsChanged(): void;
	/** Called once. */
	closed(problem: string): void;
}

/** Milliseconds. */
const handshakeMs = 30_000;
const probeMs = 5_000;
const listMs = 30_000;
const quietMs = 1_000;
/** Pages of a list. */
const mostPages = 16;

/** An open connection to a server. The protocol is the library's; time limits are ours. */
export class ServerConnection {
	readonly #client: Client;
	readonly #transport: ServerTransport;
	readonly #clock: Clock;
	#extras: ReturnType<typeof extrasOf> = [];

	private constructor(client: Client, transport: ServerTransport, clock: Clock) {
		this.#client = client;
		this.#transport = transport;
		this.#clock = clock;
	}

	/** Connects, or rejects with the reason and closes the transport. */
	static async open(
		transport: ServerTransport,
		{ clock, log, version }: ConnectionDeps,
		listener: ConnectionListener,
	): Promise<ServerConnection> {
		const { Client: McpClient } = await import("@modelcontextprotocol/client");
		const client = new McpClient(
			{ name: "parley", version },
			{
				capabilities: {},
				// Schemas of a server may have patterns that take hours. Its answers are only text here.
				jsonSchemaValidator: acceptAll,
				versionNegotiation: { mode: "auto", probe: { timeoutMs: probeMs } },
				listMaxPages: mostPages,
				listChanged: {
					tools: { autoRefresh: false, debounceMs: quietMs, onChanged: () => listener.toolsChanged() },
				},
			},
		);
		// Faults of single messages. The transport ends a server that sends too many.
		client.onerror = (error) => log.debug("a message of an MCP server was ignored", { error });
		client.onclose = () => listener.closed(transport.problem ?? "it closed the connection");
		try {
			await within(clock, handshakeMs, "it did not answer the first request", (signal) =>
				client.connect(transport, { signal, timeout: handshakeMs }),
			);
		} catch (cause) {
			const message = transport.problem ?? problemOf(cause);
			await transport.close();
			throw new ParleyError(message, { code: "unavailable", cause });
		}
		return new ServerConnection(client, transport, clock);
	}

	/** The tools of the server, unchecked, and those for its resources and prompts. */
	async tools(): Promise<readonly Tool[]> {
		const own = this.#client.getServerCapabilities()?.tools === undefined ? [] : await this.#ownTools();
		this.#extras = extrasOf(this.#client, own);
		return [...own, ...this.#extras.map(({ listed }) => listed)];
	}

	async #ownTools(): Promise<readonly Tool[]> {
		const { tools } = await within(this.#clock, listMs, "it did not list its tools", (signal) =>
			this.#client.listTools(undefined, { signal, timeout: listMs, cacheMode: "bypass" }),
		);
		return tools;
	}

	/** Calls a tool. Rejects with `deadline_exceeded` after `timeoutMs`. */
	async call(
		name: string,
		args: Readonly<Record<string, unknown>>,
		{ timeoutMs: timeout, signal: stopped }: { readonly timeoutMs: number; readonly signal: AbortSignal },
	): Promise<CallToolResult> {
		const extra = this.#extras.find(({ listed }) => listed.name === name);
		return await within(this.#clock, timeout, "it did not answer", (late) => {
			const limits = { signal: AbortSignal.any([stopped, late]), timeout };
			if (extra) return extra.call(this.#client, args, limits);
			return this.#client.callTool({ name, arguments: { ...args } }, limits);
		});
	}

	async close(): Promise<void> {
		await this.#client.close().catch(() => undefined);
		await this.#transport.close();
	}
}

/** Maximum characters of an error of a server. */
const longestProblem = 500;

/** Text of an error: ours if it caused the error, else that of the library or the server, which may be any text. */
export function problemOf(reason: unknown): string {
	for (let error = reason; error instanceof Error; error = error.cause) {
		if (error instanceof ParleyError) return error.message;
	}
	return visible(reason instanceof Error ? reason.message.slice(0, longestProblem) : "unknown error");
}

/** Accepts every value. */
const acceptAll: jsonSchemaValidator = {
	getValidator<T>() {
		// True because no caller reads the value as another type: results become text.
		return (data): JsonSchemaValidatorResult<T> => ({
			valid: true,
			data: data as T,
			errorMessage: undefined,
		});
	},
};

/** Runs work that must end in time. Rejects with `deadline_exceeded`, and aborts the work. */
async function within<T>(
	clock: Clock,
	ms: number,
	problem: string,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const late = new AbortController();
	const error = new ParleyError(`${problem} within ${ms / 1_000} s`, { code: "deadline_exceeded" });
	const { promise, reject } = Promise.withResolvers<never>();
	const timer = clock.after(ms, () => {
		late.abort(error);
		reject(error);
	});
	try {
		return await Promise.race([work(late.signal), promise]);
	} finally {
		timer.cancel();
	}
}
