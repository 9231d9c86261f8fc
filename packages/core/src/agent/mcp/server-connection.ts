import type {
	CallToolResult,
	Client,
	CreateMessageRequestParams,
	CreateMessageResult,
	ElicitRequestParams,
	ElicitResult,
	JsonSchemaValidatorResult,
	jsonSchemaValidator,
	Tool,
	Transport,
} from "@modelcontextprotocol/client";
import { type Clock, type Logger, ParleyError, type Timer } from "@parley/base";
import { visible } from "../../text/visible.ts";
import { extrasOf } from "./resources-and-prompts.ts";
import { mcpConnectionTexts, mcpServerTexts } from "./texts.ts";

export interface ServerTransport extends Transport {
	/** Reason why the connection was stopped or ended. Undefined before that, and if the reason is unknown. */
	readonly problem: string | undefined;
	/** Last lines of the server's standard error. Empty for a remote server. */
	readonly log: readonly string[];
}

interface ConnectionDeps {
	readonly clock: Clock;
	readonly log: Logger;
	/** Version of Parley that the server receives. */
	readonly version: string;
}

interface ConnectionListener {
	/** Handles the server's announcement of changed tools. Called at most once a second. */
	toolsChanged(): void;
	/** Answers a server's request for input from a person. */
	elicit(params: ElicitRequestParams): Promise<ElicitResult>;
	/** Answers a server's request for a model reply. Rejects with the reason if there is no reply. */
	sample(params: CreateMessageRequestParams): Promise<CreateMessageResult>;
	/** Handles the end of the connection. Called once, with the reason. */
	closed(problem: string): void;
}

/** Maximum milliseconds of the handshake. */
const handshakeMs = 30_000;
const probeMs = 5_000;
const listMs = 30_000;
const quietMs = 1_000;
/** Maximum pages that are read of a server's list, for example of its tools. */
const maxPages = 16;

/** Maximum milliseconds of a call, including the time in which a person or the model answers the server. */
const longestWaitMs = 48 * 60 * 60_000;

/** Time limit of a call. It pauses while a person or the model answers a request of the server. */
export class Deadline {
	readonly #clock: Clock;
	readonly #late: () => void;
	#leftMs: number;
	#since = 0;
	#timer: Timer | undefined;
	#ended = false;

	constructor(clock: Clock, ms: number, late: () => void) {
		this.#clock = clock;
		this.#late = late;
		this.#leftMs = ms;
		this.resume();
	}

	pause(): void {
		if (!this.#timer) return;
		this.#timer.cancel();
		this.#timer = undefined;
		this.#leftMs -= this.#clock.monotonic() - this.#since;
	}

	/** Ends the time limit. A later `resume` has no effect. */
	end(): void {
		this.pause();
		this.#ended = true;
	}

	resume(): void {
		if (this.#ended || this.#timer) return;
		this.#since = this.#clock.monotonic();
		this.#timer = this.#clock.after(Math.max(0, this.#leftMs), this.#late);
	}
}

export interface CallOptions {
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
	/** Receives the time limit of the call as `deadline` when the call starts. */
	readonly pauses: { deadline?: Deadline };
}

/** An open connection to a server. The library implements the protocol. This class implements the time limits. */
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

	/** Opens a connection. If the handshake fails, closes the transport and rejects with the reason. */
	static async open(
		transport: ServerTransport,
		{ clock, log, version }: ConnectionDeps,
		listener: ConnectionListener,
	): Promise<ServerConnection> {
		const { Client: McpClient } = await import("@modelcontextprotocol/client");
		const client = new McpClient(
			{ name: "parley", version },
			{
				capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
				// A server's schema may contain patterns that run for hours. Answers of the server are used only as text and
				// images, so no schema checks the answers.
				jsonSchemaValidator: acceptAll,
				versionNegotiation: { mode: "auto", probe: { timeoutMs: probeMs } },
				listMaxPages: maxPages,
				listChanged: {
					tools: { autoRefresh: false, debounceMs: quietMs, onChanged: () => listener.toolsChanged() },
				},
			},
		);
		// Errors of individual messages are only logged. The transport stops a server that sends too many invalid lines.
		client.onerror = (error) => log.debug(mcpServerTexts.messageIgnored, { error });
		client.setRequestHandler("elicitation/create", ({ params }) => listener.elicit(params));
		client.setRequestHandler("sampling/createMessage", ({ params }) => listener.sample(params));
		client.onclose = () => listener.closed(transport.problem ?? mcpConnectionTexts.closed);
		try {
			await within(clock, handshakeMs, mcpConnectionTexts.noFirstAnswer, (signal) =>
				client.connect(transport, { signal, timeout: handshakeMs }),
			);
		} catch (cause) {
			const message = transport.problem ?? problemOf(cause);
			await transport.close();
			throw new ParleyError(message, { code: "unavailable", cause });
		}
		return new ServerConnection(client, transport, clock);
	}

	/** Returns the server's unchecked tools, and the tools for its resources and prompts. */
	async tools(): Promise<readonly Tool[]> {
		const own = this.#client.getServerCapabilities()?.tools === undefined ? [] : await this.#ownTools();
		this.#extras = extrasOf(this.#client, own);
		return [...own, ...this.#extras.map(({ listed }) => listed)];
	}

	async #ownTools(): Promise<readonly Tool[]> {
		const { tools } = await within(this.#clock, listMs, mcpConnectionTexts.noTools, (signal) =>
			this.#client.listTools(undefined, { signal, timeout: listMs, cacheMode: "bypass" }),
		);
		return tools;
	}

	/**
	 * Calls a tool and returns the result. Rejects with `deadline_exceeded` if the call takes more than
	 * `timeoutMs`. The time in which a person or the model answers a request of the server is excluded.
	 */
	async call(
		name: string,
		args: Readonly<Record<string, unknown>>,
		{ timeoutMs, signal: stopped, pauses }: CallOptions,
	): Promise<CallToolResult> {
		// This limit is long, because it includes the time in which a person or the model answers the server. The limit in
		// `within` excludes that time and ends the call earlier.
		const timeout = longestWaitMs;
		const extra = this.#extras.find(({ listed }) => listed.name === name);
		return await within(this.#clock, timeoutMs, mcpConnectionTexts.noAnswer, (late, deadline) => {
			pauses.deadline = deadline;
			const limits = { signal: AbortSignal.any([stopped, late]), timeout };
			if (extra) return extra.call(this.#client, args, limits);
			return this.#client.callTool({ name, arguments: { ...args } }, limits);
		});
	}

	async close(): Promise<void> {
		// Only the transport can fail here. Its own `close` rejects with the reason.
		await this.#client.close().catch(() => undefined);
		await this.#transport.close();
	}
}

/** Maximum characters of an error text from the server or the client library. */
const longestProblem = 500;

/**
 * Returns the text of an error. An error that Parley caused or recognises has Parley's message. Any other error has the
 * beginning of the text from the library or the server.
 */
export function problemOf(reason: unknown): string {
	for (let error = reason; error instanceof Error; error = error.cause) {
		if (error instanceof ParleyError) return error.message;
		if ("status" in error && error.status === 401) return mcpConnectionTexts.refusedToken;
		if (error.name === "InsufficientScopeError") return scopeProblem(error);
	}
	return visible(
		reason instanceof Error ? reason.message.slice(0, longestProblem) : mcpConnectionTexts.unknown,
	);
}

/** Pattern of scopes that an operator can safely copy into a shell. */
const plainScope = /^[A-Za-z0-9:._/ -]{1,200}$/;

function scopeProblem(error: Error): string {
	const scope = "requiredScope" in error ? String(error.requiredScope) : "";
	return mcpConnectionTexts.scope(plainScope.test(scope) ? `--scope "${scope}"` : "--scope SCOPE");
}

const acceptAll: jsonSchemaValidator = {
	getValidator<T>() {
		// The cast is safe because callers only convert the value to text.
		return (data): JsonSchemaValidatorResult<T> => ({
			valid: true,
			data: data as T,
			errorMessage: undefined,
		});
	},
};

/** Resolves with the result of `work`. After the limit, aborts the work and rejects with `deadline_exceeded`. */
async function within<T>(
	clock: Clock,
	ms: number,
	problem: string,
	work: (signal: AbortSignal, deadline: Deadline) => Promise<T>,
): Promise<T> {
	const late = new AbortController();
	const error = new ParleyError(mcpConnectionTexts.within(problem, ms / 1_000), {
		code: "deadline_exceeded",
	});
	const { promise, reject } = Promise.withResolvers<never>();
	const deadline = new Deadline(clock, ms, () => {
		late.abort(error);
		reject(error);
	});
	try {
		return await Promise.race([work(late.signal, deadline), promise]);
	} finally {
		deadline.end();
	}
}
