import type {
	CallToolResult,
	ElicitRequestParams,
	ElicitResult,
	Tool as ListedTool,
} from "@modelcontextprotocol/client";
import { type Clock, defined, type Logger, ParleyError } from "@parley/base";
import type { McpServerPhase, McpServerState } from "../../vocabulary/mcp/server.ts";
import { type AskPerson, answerForm } from "./answer-form.ts";
import { type Deadline, problemOf, ServerConnection, type ServerTransport } from "./server-connection.ts";

/** Whether a remote server no longer knows the session, so that only a new connection helps. */
async function isLostSession(reason: unknown): Promise<boolean> {
	const { SdkHttpError } = await import("@modelcontextprotocol/client");
	return reason instanceof SdkHttpError && reason.status === 404;
}

/** A tool as the server describes it, under the name for models. */
export interface ServerTool {
	readonly name: string;
	readonly listed: ListedTool;
}

/** Decides which of the listed tools are offered. */
export type ToolFilter = (listed: readonly ListedTool[]) => {
	readonly offered: readonly ServerTool[];
	/** Reasons why others are not. */
	readonly refused: readonly string[];
};

/** A call that is not answered yet. */
interface OpenCall {
	readonly ask: AskPerson;
	/** A call can ask a person once. */
	hasQuestion?: true;
	deadline?: Deadline;
}

export interface McpServerDeps {
	readonly name: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly version: string;
	/** Creates the transport of one connection. */
	open(): Promise<ServerTransport>;
	readonly filter: ToolFilter;
	/** Called after each change of the offered tools. */
	changed(): void;
}

/** Milliseconds between starts: the first pause, and the longest. */
const firstPauseMs = 1_000;
const longestPauseMs = 10 * 60_000;
/** Milliseconds after which a server is treated as stable. */
const stableMs = 60_000;
/** Calls at one time. */
const mostCalls = 8;

/**
 * One server: it starts at the first use, and after an end at the next use, with pauses that grow. Its tools stay known
 * while it is not running.
 */
export class McpServer {
	readonly #deps: McpServerDeps;
	#phase: McpServerPhase = "idle";
	#connection: ServerConnection | undefined;
	#starting: Promise<void> | undefined;
	#tools: readonly ServerTool[] = [];
	#refused: readonly string[] = [];
	#problem: string | undefined;
	/** Transport of the last connection, also after its end. */
	#transport: ServerTransport | undefined;
	#pauseMs = firstPauseMs;
	/** Monotonic times. */
	#readyAt = 0;
	#nextStart = 0;
	readonly #open = new Set<OpenCall>();

	constructor(deps: McpServerDeps) {
		this.#deps = deps;
	}

	get tools(): readonly ServerTool[] {
		return this.#tools;
	}

	get state(): McpServerState {
		return {
			name: this.#deps.name,
			phase: this.#phase,
			tools: this.#tools.map(({ name }) => name),
			refused: this.#refused,
			log: this.#transport?.log ?? [],
			...defined({ problem: this.#problem }),
		};
	}

	/**
	 * Starts the server unless it runs or must pause. Resolves when the attempt has ended. Never rejects: see `state`. A
	 * later attempt does not delay runs, because the tools are known.
	 */
	start(): Promise<void> {
		const { clock } = this.#deps;
		const isDue =
			this.#phase === "idle" || (this.#phase === "waiting" && clock.monotonic() >= this.#nextStart);
		if (isDue) {
			this.#phase = "starting";
			this.#starting = this.#start();
		}
		return this.#starting ?? Promise.resolve();
	}

	/** Whether no attempt has ended yet. */
	get isUnknown(): boolean {
		return (
			this.#phase === "idle" || (this.#phase === "starting" && this.#readyAt === 0 && this.#nextStart === 0)
		);
	}

	/**
	 * Calls a tool by the name that the server gave it. Rejects with `unavailable` if the server cannot be used, with
	 * `resource_exhausted` for too many calls at a time, and with `deadline_exceeded`.
	 */
	async call(
		name: string,
		args: Readonly<Record<string, unknown>>,
		options: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly ask: AskPerson },
	): Promise<CallToolResult> {
		if (this.#open.size >= mostCalls) {
			const message = `the MCP server ${this.#deps.name} has ${mostCalls} open calls: try again later`;
			throw new ParleyError(message, { code: "resource_exhausted" });
		}
		const open: OpenCall = { ask: options.ask };
		this.#open.add(open);
		try {
			const connection = await this.#ready();
			return await connection.call(name, args, { ...options, pauses: open });
		} catch (reason) {
			options.signal.throwIfAborted();
			if (await isLostSession(reason)) await this.#failed(reason);
			const message = problemOf(reason);
			const { code } = ParleyError.from(reason);
			const ended = this.#connection === undefined ? (this.#problem ?? message) : message;
			throw new ParleyError(`the MCP server ${this.#deps.name} failed: ${ended}`, {
				code: code === "deadline_exceeded" ? code : "unavailable",
				cause: reason,
			});
		} finally {
			this.#open.delete(open);
		}
	}

	/** Stops the server. It does not start again. */
	async close(): Promise<void> {
		this.#phase = "closed";
		await this.#connection?.close();
		await this.#starting;
		await this.#connection?.close();
	}

	async #ready(): Promise<ServerConnection> {
		await this.start();
		if (this.#connection) return this.#connection;
		throw new ParleyError(this.#problem ?? "it is not running", { code: "unavailable" });
	}

	async #start(): Promise<void> {
		const { clock, log, name } = this.#deps;
		try {
			const transport = await this.#deps.open();
			this.#transport = transport;
			const connection = await ServerConnection.open(transport, this.#deps, {
				elicit: (params) => this.#elicit(params),
				toolsChanged: () => void this.#refreshAgain(),
				closed: (problem) => this.#ended(problem),
			});
			this.#connection = connection;
			await this.#refresh();
			// It may have been closed, or ended, in the meantime.
			if (this.#phase !== "starting") return;
			this.#phase = "ready";
			this.#readyAt = clock.monotonic();
			this.#problem = undefined;
			log.info("an MCP server is ready", { server: name, tools: this.#tools.length });
		} catch (reason) {
			await this.#failed(reason);
		}
	}

	/** Ends a connection that cannot be used. */
	async #failed(reason: unknown): Promise<void> {
		const connection = this.#connection;
		this.#ended(problemOf(reason));
		await connection?.close();
	}

	/** Also called when the connection is closed by `close` or `#failed`; only the first call counts. */
	#ended(problem: string): void {
		if (this.#phase !== "starting" && this.#phase !== "ready") return;
		const { clock, log, name } = this.#deps;
		const now = clock.monotonic();
		const isStable = this.#phase === "ready" && now - this.#readyAt >= stableMs;
		if (isStable) this.#pauseMs = firstPauseMs;
		this.#connection = undefined;
		this.#problem = problem;
		this.#nextStart = now + this.#pauseMs;
		log.warn("an MCP server has ended", {
			server: name,
			problem,
			pauseMs: this.#pauseMs,
			output: this.#transport?.log,
		});
		this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
		this.#phase = "waiting";
	}

	/** A request does not say which call it belongs to, so it is declined if there are several. */
	async #elicit(params: ElicitRequestParams): Promise<ElicitResult> {
		const [only, ...others] = this.#open;
		if (!only || others.length > 0 || only.hasQuestion) return { action: "decline" };
		only.hasQuestion = true;
		only.deadline?.pause();
		try {
			return await answerForm(params, this.#deps.name, only.ask);
		} finally {
			only.deadline?.resume();
		}
	}

	async #refreshAgain(): Promise<void> {
		try {
			await this.#refresh();
			this.#deps.log.info("an MCP server has announced other tools", { server: this.#deps.name });
		} catch (reason) {
			await this.#failed(reason);
		}
	}

	async #refresh(): Promise<void> {
		const connection = this.#connection;
		if (!connection) return;
		const { offered, refused } = this.#deps.filter(await connection.tools());
		this.#tools = offered;
		this.#refused = refused;
		this.#deps.changed();
	}
}
