import {
	type CallToolResult,
	McpServer,
	type ProgressToken,
	ProtocolError,
	ProtocolErrorCode,
	type RequestId,
	SdkError,
	SdkErrorCode,
	type ServerContext,
	type Transport,
} from "@modelcontextprotocol/server";
import { type Clock, type Logger, ParleyError } from "@parley/base";
import type { Principal, Runtime } from "@parley/core";
import type { WireCounts } from "../../metrics/client-metrics.ts";
import { mcpErrorTexts, mcpTexts } from "../../texts/wires/mcp.ts";
import { type ErrorRedactor, shownError } from "../shared/error-text.ts";
import { encodeMcpError } from "./codec.ts";
import { mcpErrorMessages } from "./error-code.ts";
import type { McpContext, ToolCall } from "./methods/context.ts";
import { answer, ask, runState } from "./methods/runs.ts";
import { startTask, taskState } from "./methods/tasks.ts";
import { listTranscripts, readTranscriptPage } from "./methods/transcripts.ts";
import {
	answerInput,
	askInput,
	runOutput,
	startTaskInput,
	statusOutput,
	type TaskStatusInput,
	taskOutput,
	taskStatusInput,
} from "./schema.ts";

export interface McpConnectionDeps {
	readonly runtime: Runtime;
	readonly clock: Clock;
	readonly log: Logger;
	readonly version: string;
	readonly principal: Principal;
	/** Whether the operator allows forms for approvals. */
	readonly forms: boolean;
	readonly redactor?: ErrorRedactor | undefined;
	readonly counts?: WireCounts | undefined;
}

/**
 * Milliseconds until a form ends. This limit has no effect in practice, because the tool call that waits for a form
 * ends earlier.
 */
const formMs = 24 * 3_600_000;

/** One MCP session, without HTTP: its tools and resources for one principal. */
export class McpConnection {
	readonly #deps: McpConnectionDeps;
	readonly #context: McpContext;
	readonly #server: McpServer;
	/** Controller that ends all waits when the gateway stops or the session ends. */
	readonly #stopping = new AbortController();
	/**
	 * Controllers of the active requests, by id. A controller aborts at the end of its request, or when the client
	 * disconnects.
	 */
	readonly #lost = new Map<RequestId, AbortController>();

	constructor(deps: McpConnectionDeps) {
		this.#deps = deps;
		const { runtime, clock, log, principal, forms } = deps;
		const agent: Principal = { ...principal, via: "mcp", through: "agent" };
		this.#context = { runtime, clock, log, forms, principal: agent };
		this.#server = new McpServer(
			{ name: "parley", title: "Parley", version: deps.version },
			{ capabilities: { tools: {}, resources: {} }, instructions: mcpTexts.instructions },
		);
		this.#server.server.onerror = (error) => log.debug("an MCP message could not be handled", { error });
		this.#addRunTools();
		this.#addTaskTools();
		this.#addTranscripts();
	}

	async connect(transport: Transport): Promise<void> {
		await this.#server.connect(transport);
	}

	/** Returns the number of active requests. */
	get active(): number {
		return this.#lost.size;
	}

	/** Begins a request. Returns false if the id is in use. */
	begin(id: RequestId): boolean {
		if (this.#lost.has(id)) return false;
		this.#lost.set(id, new AbortController());
		return true;
	}

	/** Ends a request after its response was sent or its client disconnected. The run of the request continues. */
	end(id: RequestId): void {
		this.#lost.get(id)?.abort();
		this.#lost.delete(id);
	}

	/** Ends all waits with the current state of their runs. The runs continue. */
	stop(): void {
		this.#stopping.abort();
	}

	async close(): Promise<void> {
		this.stop();
		await this.#server.close();
	}

	#addRunTools(): void {
		this.#server.registerTool(
			"ask",
			{
				title: mcpTexts.askTitle,
				description: mcpTexts.ask,
				inputSchema: askInput,
				outputSchema: runOutput,
				annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
			},
			(input, ctx) => this.#answer("ask", ctx, (call) => ask(this.#context, input, call)),
		);
		this.#server.registerTool(
			"answer",
			{
				title: mcpTexts.answerTitle,
				description: mcpTexts.answer,
				inputSchema: answerInput,
				outputSchema: statusOutput,
				annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
			},
			(input, ctx) => this.#answer("answer", ctx, (call) => answer(this.#context, input, call)),
		);
	}

	#addTaskTools(): void {
		this.#server.registerTool(
			"start_task",
			{
				title: mcpTexts.startTaskTitle,
				description: mcpTexts.startTask,
				inputSchema: startTaskInput,
				outputSchema: taskOutput,
				annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
			},
			(input, ctx) => this.#answer("start_task", ctx, () => startTask(this.#context, input)),
		);
		this.#server.registerTool(
			"task_status",
			{
				title: mcpTexts.statusTitle,
				description: mcpTexts.status,
				inputSchema: taskStatusInput,
				outputSchema: statusOutput,
				annotations: { readOnlyHint: true, openWorldHint: false },
			},
			(input, ctx) => this.#answer("task_status", ctx, (call) => this.#status(input, call)),
		);
	}

	#status(
		{ task_id, session_id, run_id, wait_seconds = 0 }: TaskStatusInput,
		call: ToolCall,
	): Promise<CallToolResult> {
		if (task_id !== undefined && session_id === undefined && run_id === undefined) {
			return taskState(this.#context, task_id);
		}
		if (task_id === undefined && session_id !== undefined && run_id !== undefined) {
			const run = { sessionId: session_id, runId: run_id, seconds: wait_seconds, patient: true };
			return runState(this.#context, call, run);
		}
		throw new ParleyError(mcpErrorTexts.taskOrRun, {
			code: "invalid_argument",
		});
	}

	#addTranscripts(): void {
		const { server } = this.#server;
		server.setRequestHandler("resources/list", ({ params }) =>
			this.#read("resources/list", () => listTranscripts(this.#context, params?.cursor)),
		);
		server.setRequestHandler("resources/read", ({ params }) =>
			this.#read("resources/read", () => readTranscriptPage(this.#context, params.uri)),
		);
		server.setRequestHandler("resources/templates/list", () => ({
			resourceTemplates: [
				{
					uriTemplate: "parley://sessions/{session_id}{?after}",
					name: "transcript",
					title: mcpTexts.transcriptTitle,
					description: mcpTexts.transcriptPages,
					mimeType: "application/json",
				},
			],
		}));
	}

	async #answer(
		tool: string,
		ctx: ServerContext,
		work: (call: ToolCall) => Promise<CallToolResult>,
	): Promise<CallToolResult> {
		try {
			const result = await work(this.#callOf(ctx));
			this.#deps.counts?.answered("mcp", tool, "ok");
			return result;
		} catch (reason) {
			// The model of the client can read the error in the result.
			return encodeMcpError(this.#errorText(tool, reason));
		}
	}

	#read<T>(method: string, work: () => Promise<T>): Promise<T> {
		return work().then(
			(result) => {
				this.#deps.counts?.answered("mcp", method, "ok");
				return result;
			},
			// The protocol error has no `cause`, because the client gets the complete error.
			(reason: unknown) => {
				throw new ProtocolError(ProtocolErrorCode.InvalidParams, this.#errorText(method, reason));
			},
		);
	}

	#errorText(method: string, reason: unknown): string {
		const { code, message } = shownError(reason, this.#deps.redactor);
		this.#deps.counts?.answered("mcp", method, code);
		const text = mcpErrorMessages[code](message);
		if (text !== message) this.#deps.log.error("an MCP request failed", { method, error: reason });
		return text;
	}

	#callOf({ mcpReq }: ServerContext): ToolCall {
		const { signal, id, _meta } = mcpReq;
		const cancelled = new AbortController();
		const lost = new AbortController();
		const onAbort = (): void => (isClosed(signal.reason) ? lost : cancelled).abort();
		if (signal.aborted) onAbort();
		signal.addEventListener("abort", onAbort, { once: true });
		const disconnected = this.#lost.get(id)?.signal ?? lost.signal;
		const forms = this.#server.server.getClientCapabilities()?.elicitation;
		// Clients that use an earlier revision of the protocol declare forms by an empty object.
		const hasForms = forms !== undefined && (forms.form !== undefined || forms.url === undefined);
		const token = _meta?.progressToken;
		return {
			cancelled: cancelled.signal,
			lost: AbortSignal.any([lost.signal, disconnected, this.#stopping.signal]),
			progress: token === undefined ? undefined : this.#reporter(mcpReq, token),
			// `mcpReq.send` relates the form to the call, so that the client receives the form in the response of the call.
			elicit: hasForms
				? (form, stop) =>
						mcpReq.send(
							{ method: "elicitation/create", params: { ...form } },
							{ signal: stop, timeout: formMs },
						)
				: undefined,
		};
	}

	#reporter({ notify }: ServerContext["mcpReq"], progressToken: ProgressToken): (words: string) => void {
		let progress = 0;
		return (message) => {
			progress += 1;
			const params = { progressToken, progress, message };
			notify({ method: "notifications/progress", params }).catch((error: unknown) => {
				this.#deps.log.debug("a report could not be sent", { error });
			});
		};
	}
}

/** Whether the client has disconnected. False if the client has cancelled the request. */
function isClosed(reason: unknown): boolean {
	return SdkError.isInstance(reason) && reason.code === SdkErrorCode.ConnectionClosed;
}
