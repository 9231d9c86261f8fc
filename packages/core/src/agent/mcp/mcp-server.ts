import type {
	CallToolResult,
	CreateMessageRequestParams,
	CreateMessageResult,
	ElicitRequestParams,
	ElicitResult,
	Tool as ListedTool,
} from "@modelcontextprotocol/client";
import { type Clock, defined, type Logger, ParleyError } from "@parley/base";
import type { McpServerPhase, McpServerState } from "../../vocabulary/mcp/server.ts";
import type { ToolContext } from "../../vocabulary/tool.ts";
import { answerForm, type PersonQuestions } from "./answer-form.ts";
import { type AskModel, answerSampling } from "./answer-sampling.ts";
import { InvalidCall } from "./resources-and-prompts.ts";
import { type Deadline, problemOf, ServerConnection, type ServerTransport } from "./server-connection.ts";
import { mcpServerTexts } from "./texts.ts";

/** Whether the error means that the remote server no longer knows the session. A new connection is then required. */
async function isLostSession(reason: unknown): Promise<boolean> {
	const { SdkHttpError } = await import("@modelcontextprotocol/client");
	return reason instanceof SdkHttpError && reason.status === 404;
}

/** A tool with the server's description and the tool's name for models. */
export interface ServerTool {
	readonly name: string;
	readonly listed: ListedTool;
}

/** Selects the offered tools from the listed tools. */
export type ToolFilter = (listed: readonly ListedTool[]) => {
	readonly offered: readonly ServerTool[];
	/** Reasons why the remaining listed tools are not offered. */
	readonly refused: readonly string[];
};

/** Services with which a call answers requests from its server. */
interface Answering {
	readonly ask: ToolContext["ask"];
	readonly redact: ToolContext["redact"];
	readonly reply: ToolContext["reply"];
}

interface CallNeeds extends Answering {
	readonly timeoutMs: number;
	readonly signal: AbortSignal;
}

interface OpenCall extends Answering {
	/** Aborted when the call ends, to withdraw the questions of the call. */
	readonly ended: AbortController;
	questions: number;
	/** Answer to a request of the server, while the answer is pending. */
	asking?: Promise<unknown> | undefined;
	deadline?: Deadline;
}

/** One start of the server. Events of an ended attempt have no effect on a later attempt. */
interface Attempt {
	/**
	 * Transport of the attempt. Remains set after the end of the attempt, because it contains the log of the
	 * server.
	 */
	transport?: ServerTransport;
	/** Open connection. Undefined before the connection is open and after the end of the attempt. */
	connection?: ServerConnection;
}

export interface McpServerDeps {
	readonly name: string;
	readonly clock: Clock;
	readonly log: Logger;
	readonly version: string;
	/** Creates the transport of one connection. */
	open(): Promise<ServerTransport>;
	readonly filter: ToolFilter;
	/** Handles each update of the offered tools. */
	changed(): void;
}

/** First pause in milliseconds from the end of a server to its next start. `longestPauseMs`: the maximum pause. */
const firstPauseMs = 1_000;
const longestPauseMs = 10 * 60_000;
/** Minimum milliseconds of a connection before the server is treated as stable. */
const stableMs = 60_000;
/** Maximum simultaneous calls. */
const maxCalls = 8;
/** Maximum questions of one call. Further questions are cancelled and reach no person. */
const maxQuestions = 20;

/**
 * An MCP server that starts at its first use. After the server ends or fails to start, the first use after a pause
 * starts it again. The pauses increase until a connection is stable. The tools remain listed while the server is not
 * running.
 */
export class McpServer {
	readonly #deps: McpServerDeps;
	#phase: McpServerPhase = "idle";
	#attempt: Attempt = {};
	#starting: Promise<void> | undefined;
	#tools: readonly ServerTool[] = [];
	#refused: readonly string[] = [];
	#problem: string | undefined;
	#pauseMs = firstPauseMs;
	/** Monotonic time of the last successful start, or 0. */
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
			log: this.#attempt.transport?.log ?? [],
			...defined({ problem: this.#problem }),
		};
	}

	/**
	 * Starts the server unless it runs or must pause. Resolves when the start succeeded or failed. Never rejects: see
	 * `state`.
	 */
	start(): Promise<void> {
		const { clock } = this.#deps;
		const isDue =
			this.#phase === "idle" || (this.#phase === "waiting" && clock.monotonic() >= this.#nextStart);
		if (isDue) {
			this.#phase = "starting";
			this.#attempt = {};
			this.#starting = this.#start(this.#attempt);
		}
		return this.#starting ?? Promise.resolve();
	}

	/** Whether no start has succeeded or failed yet. */
	get isUnknown(): boolean {
		return (
			this.#phase === "idle" || (this.#phase === "starting" && this.#readyAt === 0 && this.#nextStart === 0)
		);
	}

	/**
	 * Calls a tool and returns the result. `name`: the name that the server gave the tool. Rejects:
	 * - with `resource_exhausted` if too many calls are open
	 * - with the signal's reason if the signal aborts
	 * - with `InvalidCall` if the arguments for a resource or a prompt are invalid
	 * - with `deadline_exceeded` if the time limit passes
	 * - with `unavailable` for any other failure
	 */
	async call(
		name: string,
		args: Readonly<Record<string, unknown>>,
		options: CallNeeds,
	): Promise<CallToolResult> {
		if (this.#open.size >= maxCalls) {
			const message = mcpServerTexts.tooManyCalls(this.#deps.name, maxCalls);
			throw new ParleyError(message, { code: "resource_exhausted" });
		}
		const { ask, redact, reply } = options;
		const open: OpenCall = { ask, redact, reply, ended: new AbortController(), questions: 0 };
		this.#open.add(open);
		let attempt = this.#attempt;
		try {
			await this.start();
			attempt = this.#attempt;
			const connection = this.#connectionOf(attempt);
			const call = () => connection.call(name, args, { ...options, pauses: open });
			try {
				return await call();
			} catch (reason) {
				if (!(await this.#opened(open, reason))) throw reason;
				return await call();
			}
		} catch (reason) {
			options.signal.throwIfAborted();
			if (reason instanceof InvalidCall) throw reason;
			if (await isLostSession(reason)) await this.#failed(attempt, reason);
			const message = problemOf(reason);
			const { code } = ParleyError.from(reason);
			const ended = attempt.connection === undefined ? (this.#problem ?? message) : message;
			throw new ParleyError(mcpServerTexts.failed(this.#deps.name, ended), {
				code: code === "deadline_exceeded" ? code : "unavailable",
				cause: reason,
			});
		} finally {
			this.#open.delete(open);
			// The server can answer the call or end before a person answers the question.
			open.ended.abort();
			await open.asking?.catch(() => undefined);
		}
	}

	/** Stops the server permanently. */
	async close(): Promise<void> {
		this.#phase = "closed";
		const { transport, connection } = this.#attempt;
		// Closing the transport also ends a start that is waiting for an answer.
		await (connection ?? transport)?.close();
		await this.#starting;
	}

	#connectionOf({ connection }: Attempt): ServerConnection {
		if (connection) return connection;
		throw new ParleyError(this.#problem ?? mcpServerTexts.notRunning, { code: "unavailable" });
	}

	async #start(attempt: Attempt): Promise<void> {
		const { clock, log, name } = this.#deps;
		try {
			const transport = await this.#deps.open();
			if (this.#isClosed) return await transport.close();
			attempt.transport = transport;
			const connection = await ServerConnection.open(transport, this.#deps, {
				elicit: (params) => this.#elicit(params),
				sample: (params) => this.#sample(params),
				toolsChanged: () => void this.#retryRefresh(attempt),
				closed: (problem) => this.#ended(attempt, problem),
			});
			if (this.#isClosed) return await connection.close();
			attempt.connection = connection;
			await this.#refresh(attempt);
			// The server may have been closed or ended in the meantime.
			if (this.#phase !== "starting" || attempt !== this.#attempt) return;
			this.#phase = "ready";
			this.#readyAt = clock.monotonic();
			this.#problem = undefined;
			log.info(mcpServerTexts.ready, { server: name, tools: this.#tools.length });
		} catch (reason) {
			await this.#failed(attempt, reason);
		}
	}

	get #isClosed(): boolean {
		return this.#phase === "closed";
	}

	async #failed(attempt: Attempt, reason: unknown): Promise<void> {
		const { connection } = attempt;
		this.#ended(attempt, problemOf(reason));
		await connection?.close();
	}

	/**
	 * Records the end of `attempt` with its `problem`, and sets the earliest time of the next start. Has no effect if
	 * `attempt` is not the newest attempt or has already ended, and after `close`.
	 */
	#ended(attempt: Attempt, problem: string): void {
		if (attempt !== this.#attempt || (this.#phase !== "starting" && this.#phase !== "ready")) return;
		const { clock, log, name } = this.#deps;
		const now = clock.monotonic();
		const isStable = this.#phase === "ready" && now - this.#readyAt >= stableMs;
		if (isStable) this.#pauseMs = firstPauseMs;
		delete attempt.connection;
		this.#problem = problem;
		this.#nextStart = now + this.#pauseMs;
		log.warn(mcpServerTexts.ended, {
			server: name,
			problem,
			pauseMs: this.#pauseMs,
			output: attempt.transport?.log,
		});
		this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
		this.#phase = "waiting";
	}

	#onlyCall(): OpenCall | undefined {
		// A request of the server does not name its call, so exactly one call must be open.
		const [only, ...others] = this.#open;
		return others.length === 0 && only?.asking === undefined ? only : undefined;
	}

	async #elicit(params: ElicitRequestParams): Promise<ElicitResult> {
		const call = this.#onlyCall();
		return call ? this.#answer(call, params) : { action: "decline" };
	}

	#answer(call: OpenCall, params: ElicitRequestParams): Promise<ElicitResult> {
		return whileAsking(call, (people) => answerForm(params, this.#deps.name, people));
	}

	async #sample(params: CreateMessageRequestParams): Promise<CreateMessageResult> {
		const call = this.#onlyCall();
		if (!call) throw new ParleyError(mcpServerTexts.severalCalls, { code: "failed_precondition" });
		const reply: AskModel = (request) => call.reply(request, call.ended.signal);
		return await whileAsking(call, (people) => answerSampling(params, this.#deps.name, { ...people, reply }));
	}

	/**
	 * Asks a person to open the addresses that a failed call requires. Returns true if the person opened all of
	 * them.
	 */
	async #opened(call: OpenCall, reason: unknown): Promise<boolean> {
		const { UrlElicitationRequiredError } = await import("@modelcontextprotocol/client");
		if (!(reason instanceof UrlElicitationRequiredError) || reason.elicitations.length === 0) return false;
		// A call has at most one open question at a time.
		if (call.asking !== undefined) return false;
		for (const params of reason.elicitations) {
			const { action } = await this.#answer(call, { ...params, mode: "url" });
			if (action !== "accept") return false;
		}
		return true;
	}

	async #retryRefresh(attempt: Attempt): Promise<void> {
		try {
			await this.#refresh(attempt);
			this.#deps.log.info(mcpServerTexts.otherTools, { server: this.#deps.name });
		} catch (reason) {
			await this.#failed(attempt, reason);
		}
	}

	async #refresh(attempt: Attempt): Promise<void> {
		const listed = await attempt.connection?.tools();
		// The attempt may have ended in the meantime.
		if (listed === undefined || attempt !== this.#attempt) return;
		const { offered, refused } = this.#deps.filter(listed);
		this.#tools = offered;
		this.#refused = refused;
		this.#deps.changed();
	}
}

/**
 * Resolves with the result of `answer`, and pauses the time limit of the call until then. Cancels all questions
 * after the first `maxQuestions` of the call.
 */
async function whileAsking<T>(call: OpenCall, answer: (people: PersonQuestions) => Promise<T>): Promise<T> {
	call.deadline?.pause();
	const ask: PersonQuestions["ask"] = async (question) => {
		call.questions++;
		if (call.questions > maxQuestions) return { outcome: "cancelled" };
		return await call.ask(question, call.ended.signal);
	};
	const asking = answer({ ask, redact: (text) => call.redact(text) });
	call.asking = asking;
	try {
		return await asking;
	} finally {
		call.asking = undefined;
		call.deadline?.resume();
	}
}
