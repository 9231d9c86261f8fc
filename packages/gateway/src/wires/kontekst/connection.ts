import { defined, type Logger } from "@parley/base";
import type { Keyed, Principal, Prompt, PromptResponse, Runtime, SessionEvent } from "@parley/core";
import type { ContextSnapshot, RunCommand, RunEvent, StartRunCommand } from "../../gen/kontekst.ts";
import { type ErrorRedactor, shownError } from "../shared/error-text.ts";
import type { SessionView } from "../view/session-view.ts";
import { type TurnEvent, Turns } from "../view/turns.ts";
import {
	cutToBytes,
	decodeStart,
	encodeCalls,
	encodeKontekstReply,
	encodeSnapshot,
	event,
	splitText,
} from "./codec.ts";
import { openSession } from "./methods/open-session.ts";

export interface RunStreamOptions {
	readonly runtime: Runtime;
	readonly principal: Principal;
	readonly log: Logger;
	readonly redactor: ErrorRedactor;
	/** Sends an event to the client; must not throw. */
	readonly send: (event: RunEvent) => void;
	/** Reports that the client has closed its half of the stream, and that no event follows. */
	readonly finished: () => void;
}

interface StreamRun {
	readonly view: SessionView;
	readonly id: string;
	readonly agent: string;
}

/**
 * One `Run` stream, without a transport. The stream starts one run, sends the events of the run, and accepts
 * decisions about the run's calls. A problem before the start of the run becomes a `failed` event without a run id,
 * and the client may start again.
 */
export class RunStream {
	readonly #options: RunStreamOptions;
	readonly #turns = new Turns();
	/**
	 * Open prompts by token. `callId` is the id of the call on this stream; undefined for a prompt that is not an
	 * approval.
	 */
	readonly #prompts = new Map<string, { readonly prompt: Prompt; readonly callId: string | undefined }>();
	readonly #tasks = new Set<string>();
	/** Tokens of the approvals that wait for a decision, by the id of the call. */
	readonly #undecided = new Map<string, string>();
	readonly #unapproved = new Set<string>();
	readonly #started = new Set<string>();
	readonly #proposed = new Set<string>();
	/** Whether `tools_completed` must still be sent for proposed calls. */
	#isBatchOpen = false;
	#phase: "idle" | "starting" | "running" | "over" = "idle";
	#run: StreamRun | undefined;
	/** Events that the session sent before the id of the run was known. */
	#early: SessionEvent[] = [];
	#isStartSent = false;
	#snapshot: ContextSnapshot | undefined;
	#reply = { content: "", reasoning: "" };
	#isCancelled = false;
	/** Whether the client has closed its half of the stream or has disconnected. */
	#isClosed = false;
	#ignoresCommands = false;

	constructor(options: RunStreamOptions) {
		this.#options = options;
	}

	/**
	 * Handles a command of the client. Ignores decisions and cancellations that do not apply, as existing clients expect.
	 */
	receive({ command }: RunCommand): void {
		if (this.#ignoresCommands) return;
		switch (command?.$case) {
			case "start":
				this.#begin(command.value);
				break;
			case "approveTool":
				this.#decide(command.value.callId, { value: true });
				break;
			case "denyTool":
				this.#decide(command.value.callId, deniedFor(command.value.reason));
				break;
			case "cancel":
				if (this.#phase !== "idle") this.#cancel();
				break;
			case undefined:
				break;
		}
	}

	/**
	 * Handles a client that has closed its half of the stream or has disconnected. The run continues until it needs a
	 * decision. Then the run is cancelled.
	 */
	close(): void {
		this.#isClosed = true;
		if (this.#undecided.size > 0) this.#cancel();
		this.#finish();
	}

	/** Ignores later commands, because a slow client can still send commands before it receives the final status. */
	stopOutput(): void {
		this.#ignoresCommands = true;
	}

	#finish(): void {
		if (this.#isClosed && (this.#phase === "idle" || this.#phase === "over")) this.#options.finished();
	}

	#begin(command: StartRunCommand): void {
		if (this.#phase !== "idle") {
			this.#options.send(event("failed", { runId: "", error: "run already started" }));
			return;
		}
		this.#phase = "starting";
		this.#start(command).catch((reason: unknown) => {
			this.#phase = "idle";
			this.#early = [];
			this.#isCancelled = false;
			this.#options.send(event("failed", { runId: "", error: this.#errorText(reason) }));
			this.#finish();
		});
	}

	async #start(command: StartRunCommand): Promise<void> {
		const { runtime, principal } = this.#options;
		const start = decodeStart(command);
		const { view, isNew } = await openSession(runtime, principal, start, (happened) =>
			this.#happened(happened),
		);
		let isFirst = false;
		try {
			await view.begin();
			const message = defined({ content: start.prompt, skill: start.skill });
			// The agent in the start command applies to the new run, even if the session has another agent.
			const { agentName: agent = view.profile } = start;
			const { runId, queuedPosition } = await view.send(this.#keyed("run"), message, {
				ask: "all",
				onDenied: "cancel",
				start: "allDecided",
				afterCrash: "cancel",
				...defined({ agent: agent === view.profile ? undefined : agent }),
			});
			this.#run = { view, id: runId, agent };
			isFirst = queuedPosition === 0;
		} catch (reason) {
			await view.leave();
			if (isNew) await this.#removeEmpty(view.id);
			throw reason;
		}
		this.#phase = "running";
		// The start is sent now, because the first event of the run can be late. For example, a local model server first
		// loads its model.
		if (isFirst) this.#sendStart(this.#run);
		if (this.#isCancelled) this.#cancel();
		const early = this.#early;
		this.#early = [];
		for (const happened of early) this.#happened(happened);
	}

	/** Deletes the session, unless another client has open work in it. Never rejects. */
	async #removeEmpty(sessionId: string): Promise<void> {
		const { runtime, log } = this.#options;
		await runtime.remove(this.#keyed("run"), sessionId, false).catch((error: unknown) => {
			log.warn("an empty session could not be deleted", { sessionId, error });
		});
	}

	#happened(happened: SessionEvent): void {
		const run = this.#run;
		if (!run) {
			this.#early.push(happened);
			return;
		}
		const { event: inner } = happened;
		if (this.#phase !== "running" || !this.#belongsToRun(inner, run.id)) return;
		if (inner.type === "user.message") return;
		this.#sendStart(run);
		this.#handle(inner);
		for (const turn of this.#turns.receive(happened)) this.#sendTurn(turn, run);
	}

	#belongsToRun(inner: SessionEvent["event"], runId: string): boolean {
		// Events about answered and closed prompts contain only the token.
		if ("token" in inner) return this.#prompts.has(inner.token);
		const isOfStep =
			"prompt" in inner && inner.prompt.taskId !== undefined && this.#tasks.has(inner.prompt.taskId);
		return isOfStep || runIdOf(inner) === runId;
	}

	#sendStart({ id, view, agent }: StreamRun): void {
		if (this.#isStartSent) return;
		this.#isStartSent = true;
		this.#options.send(event("started", { runId: id, sessionId: view.id, agentName: agent }));
	}

	#handle(inner: SessionEvent["event"]): void {
		switch (inner.type) {
			case "context.updated":
				this.#snapshot = encodeSnapshot(inner);
				break;
			case "prompt.requested":
			case "prompt.shown":
				this.#raise(inner.prompt);
				break;
			case "skill.step.started":
				this.#tasks.add(inner.taskId);
				break;
			case "prompt.answered":
				this.#settled(inner.token, inner.cancelled);
				break;
			case "prompt.closed":
				this.#settled(inner.token, true);
				break;
			case "calls.proposed":
				this.#propose(inner.calls);
				break;
			case "assistant.message":
				// The result of a skill with steps is only in `assistant.message`, and not in a reply of the model.
				if (inner.content !== "") this.#reply = { ...this.#reply, content: cutToBytes(inner.content) };
				break;
			case "tool.running":
				this.#sendRunning(inner.callId);
				break;
			default:
				break;
		}
	}

	#raise(prompt: Prompt): void {
		const { token, taskId, approval } = prompt;
		const callId = approval && (taskId === undefined ? approval.callId : `${taskId}/${approval.callId}`);
		this.#prompts.set(token, { prompt, callId });
		if (!approval || callId === undefined || taskId === undefined) return;
		// The `calls.proposed` events of a step do not reach this stream, so the call is proposed here.
		this.#propose([{ callId, name: approval.tool, arguments: approval.arguments, token }]);
	}

	#settled(token: string, isDenied: boolean): void {
		const { callId, prompt } = this.#prompts.get(token) ?? {};
		this.#prompts.delete(token);
		if (callId === undefined) return;
		this.#undecided.delete(callId);
		if (!isDenied) this.#unapproved.delete(callId);
		if (prompt?.taskId !== undefined && this.#undecided.size === 0) {
			this.#options.send(event("toolsCompleted", {}));
		}
	}

	#propose(calls: Extract<SessionEvent["event"], { type: "calls.proposed" }>["calls"]): void {
		this.#isBatchOpen = true;
		for (const { callId, token } of calls) {
			this.#proposed.add(callId);
			if (token === undefined) continue;
			this.#undecided.set(callId, token);
			this.#unapproved.add(callId);
		}
		const prompts = calls.map(({ token }) => this.#prompts.get(token ?? "")?.prompt);
		this.#options.send(event("toolsProposed", { calls: encodeCalls(calls, prompts) }));
		if (this.#isClosed && this.#undecided.size > 0) this.#cancel();
	}

	#sendTurn(turn: TurnEvent, run: StreamRun): void {
		const { send } = this.#options;
		switch (turn.type) {
			case "text.delta":
				for (const text of splitText(turn.text)) send(event("token", { text }));
				break;
			case "thinking.delta":
				for (const text of splitText(turn.text)) send(event("reasoning", { text }));
				break;
			case "turn.replied":
				if (turn.reply.stop !== undefined) this.#sendReply(turn.reply.content);
				break;
			case "call.ended":
				this.#sendOutcome(turn.callId, turn.outcome);
				break;
			case "calls.ended":
				if (this.#isBatchOpen) send(event("toolsCompleted", {}));
				this.#isBatchOpen = false;
				break;
			case "run.ended":
				this.#end(turn.error, run);
				break;
			default:
				break;
		}
	}

	#sendReply(content: Parameters<typeof encodeKontekstReply>[0]): void {
		const reply = encodeKontekstReply(content);
		this.#reply = reply;
		const context = this.#snapshot;
		this.#options.send(event("turnCompleted", { ...reply, context }));
		if (context) this.#options.send(event("contextSnapshot", { context }));
	}

	#sendOutcome(callId: string, outcome: Extract<TurnEvent, { type: "call.ended" }>["outcome"]): void {
		const { send } = this.#options;
		const isDenied = this.#unapproved.has(callId) && !this.#started.has(callId);
		if (outcome.type === "tool.not_run" || isDenied || !this.#proposed.has(callId)) return;
		this.#sendRunning(callId);
		if (outcome.type === "tool.completed") {
			send(event("toolCompleted", { callId, output: cutToBytes(outcome.result) }));
		} else send(event("toolFailed", { callId, error: cutToBytes(outcome.error) }));
	}

	#sendRunning(callId: string): void {
		if (this.#started.has(callId)) return;
		this.#started.add(callId);
		this.#options.send(event("toolStarted", { callId }));
	}

	#end(error: string, { id: runId, view }: StreamRun): void {
		this.#phase = "over";
		this.#undecided.clear();
		const { send, log } = this.#options;
		if (error === "cancelled") send(event("cancelled", { runId }));
		else if (error !== "") send(event("failed", { runId, error: cutToBytes(error) }));
		else send(event("completed", { runId, ...this.#reply }));
		view.leave().catch((reason: unknown) => log.error("a session could not be left", { error: reason }));
		this.#finish();
	}

	#decide(callId: string, response: PromptResponse): void {
		const token = this.#undecided.get(callId);
		if (token === undefined || !this.#run) return;
		this.#undecided.delete(callId);
		this.#run.view.answer(this.#keyed("decide"), token, response).catch((reason: unknown) => {
			// If the prompt is still open, the call waits for a decision again.
			if (this.#prompts.has(token)) this.#undecided.set(callId, token);
			if (this.#isClosed) this.#cancel();
			this.#options.log.warn("a decision could not be stored", { callId, error: reason });
		});
	}

	#cancel(): void {
		this.#isCancelled = true;
		const run = this.#run;
		if (!run || this.#phase !== "running") return;
		run.view.cancel(this.#keyed("cancel"), { runId: run.id }).catch((reason: unknown) => {
			this.#options.log.error("a run could not be cancelled", { runId: run.id, error: reason });
		});
	}

	#keyed(method: string): Keyed {
		return { principal: this.#options.principal, key: undefined, method, params: undefined };
	}

	#errorText(reason: unknown): string {
		const { code, message } = shownError(reason, this.#options.redactor);
		if (code !== "internal" && code !== "data_loss") return message;
		this.#options.log.error("a run could not be started", { error: reason });
		return "internal error";
	}
}

function deniedFor(reason: string): PromptResponse {
	return { cancelled: true, ...defined({ reason: reason === "" ? undefined : reason }) };
}

function runIdOf(inner: SessionEvent["event"]): string | undefined {
	if ("runId" in inner) return inner.runId;
	return "prompt" in inner ? inner.prompt.runId : undefined;
}
