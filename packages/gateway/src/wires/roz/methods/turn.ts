import type { Clock, Logger, Timer } from "@parley/base";
import type { ContextSnapshot, EndCause, Keyed, Prompt, SessionEvent, Usage } from "@parley/core";
import type { SessionResponse } from "../../../gen/roz/v1/agent.ts";
import { rozErrorTexts } from "../../../texts/wires/grpc.ts";
import { type Reply, Turns } from "../../view/turns.ts";
import { encodeRozUsage, errorFrame, frame } from "../codec.ts";
import type { SessionErrorCode } from "../error-code.ts";
import type { StartedSession } from "./start-session.ts";
import type { ComposedMessage } from "./user-message.ts";

/** Milliseconds between two keepalive frames. */
const keepaliveMs = 15_000;

interface TurnOptions {
	/** Id of the message, chosen by the client or by the gateway. */
	readonly messageId: string;
	readonly session: StartedSession;
	readonly clock: Clock;
	readonly log: Logger;
	/** Creates a request to the runtime. `method` is the name of the frame. */
	readonly keyed: (method: string) => Keyed;
	readonly send: (response: SessionResponse) => void;
	/** Reports that the terminal frame follows, which the client may answer with its next message. */
	readonly ending: () => void;
	readonly ended: () => void;
}

/** One message of the client and its run, up to the last event of the run. */
export class Turn {
	readonly #options: TurnOptions;
	readonly #frames: TurnFrames;
	/** Id of the run; undefined until the message is accepted. */
	#runId: string | undefined;
	/** Events that arrived before the run was known. */
	#early: SessionEvent[] = [];
	/** Ids of the tasks that are steps of the run's workflow. */
	readonly #tasks = new Set<string>();
	#isCancelled = false;
	#isOver = false;
	#keepalive: Timer;

	constructor(options: TurnOptions) {
		const { messageId, session, clock, send } = options;
		this.#options = options;
		this.#frames = new TurnFrames({ messageId, send, isPure: (tool) => session.tools.isPure(tool) });
		this.#keepalive = clock.after(keepaliveMs, () => this.#sendKeepalive());
	}

	/** Sends the message. Rejects as `SessionTools.beginTurn` and `SessionView.send` do. */
	async start({ content, images, options }: ComposedMessage): Promise<void> {
		const { messageId, session, keyed } = this.#options;
		const { view, tools } = session;
		await tools.beginTurn(options.mode);
		const message = { content, images, correlation: messageId };
		const { runId } = await view.send(keyed("UserMessage"), message, options);
		this.#runId = runId;
		this.#frames.begin();
		if (this.#isCancelled) this.#cancelRun(runId);
		const early = this.#early;
		this.#early = [];
		for (const event of early) this.receive(event);
	}

	receive(happened: SessionEvent): void {
		if (this.#isOver) return;
		if (this.#runId === undefined) {
			this.#early.push(happened);
			return;
		}
		const { event } = happened;
		if (!this.#includes(event)) return;
		if (event.type === "skill.step.started") this.#tasks.add(event.taskId);
		const last = this.#frames.receive(happened);
		if (!last) return;
		this.stop();
		this.#options.ending();
		this.#frames.end(last);
		this.#options.ended();
	}

	calling(callId: string, tool: string): void {
		this.#frames.calling(callId, tool);
	}

	/** Whether the run of the turn, or a step of its workflow, sent this approval request or question. */
	requested({ runId, taskId }: Prompt): boolean {
		return runId === this.#runId || (taskId !== undefined && this.#tasks.has(taskId));
	}

	/** Cancels the run. A message that is not accepted yet is cancelled when it has a run. */
	cancel(): void {
		this.#isCancelled = true;
		if (this.#runId !== undefined) this.#cancelRun(this.#runId);
	}

	/** Stops sending frames of the turn. The run continues. */
	stop(): void {
		this.#isOver = true;
		this.#keepalive.cancel();
	}

	#includes(event: SessionEvent["event"]): boolean {
		if ("runId" in event) return event.runId === this.#runId;
		return "prompt" in event && this.requested(event.prompt);
	}

	#sendKeepalive(): void {
		this.#options.send(frame("keepalive", this.#frames.tokens));
		this.#keepalive = this.#options.clock.after(keepaliveMs, () => this.#sendKeepalive());
	}

	#cancelRun(runId: string): void {
		const { session, keyed, log } = this.#options;
		session.view
			.cancel(keyed("CancelTurn"), { runId })
			.catch((error: unknown) => log.error("a turn could not be cancelled", { error }));
	}
}

type Happened = SessionEvent["event"];
type Event<Type extends Happened["type"]> = Extract<Happened, { type: Type }>;

interface TurnFramesOptions {
	/** Id of the message, which the deltas and the terminal frame contain. */
	readonly messageId: string;
	readonly send: (response: SessionResponse) => void;
	readonly isPure: (tool: string) => boolean;
}

class TurnFrames {
	readonly #options: TurnFramesOptions;
	readonly #turns = new Turns();
	/** Names of tools by the id of the started call. */
	readonly #tools = new Map<string, string>();
	/** Ids of running calls of physical tools. */
	readonly #physical = new Set<string>();
	/** Ids of calls that were sent to the client as `calling_tool`. */
	readonly #shown = new Set<string>();
	/** Compactions of the turn, from the context snapshots of the run. */
	readonly #compacted: ContextSnapshot["compacted"][number][] = [];
	#progress: number | undefined;
	/** Last activity, which is sent again when the progress changes. */
	#activity = { state: "thinking", detail: "" };
	#tokens: { readonly tokensUsed?: number; readonly tokensMax?: number } = {};
	#usage: Usage | undefined;
	/** Whether text of the turn was sent. */
	#hasText = false;
	#reply: Reply | undefined;
	#called: Event<"model.called"> | undefined;

	constructor(options: TurnFramesOptions) {
		this.#options = options;
	}

	/** Returns the token counts for `keepalive`: the tokens of the last request, and the size of the context window. */
	get tokens(): { readonly tokensUsed?: number; readonly tokensMax?: number } {
		return this.#tokens;
	}

	begin(): void {
		this.#sendHint("full", rozErrorTexts.turnStarted);
	}

	/** Handles the next event of the run. Returns the last event of the run when it arrives. Call `end` after that. */
	receive(happened: SessionEvent): Event<"assistant.message"> | undefined {
		const { event } = happened;
		this.#handle(event);
		for (const part of this.#turns.receive(happened)) {
			if (part.type === "turn.replied") this.#reply = part.reply;
			else if (part.type === "text.delta") this.#text(part.text);
			else if (part.type === "thinking.delta") this.#delta("thinkingDelta", part.text);
		}
		return event.type === "assistant.message" ? event : undefined;
	}

	/**
	 * Sends the activity `calling_tool` for a call, once per call id. For a physical call, also sends a hint if no
	 * other physical call is running. Call it before the client receives the request to run the tool.
	 */
	calling(callId: string, tool: string): void {
		if (this.#shown.has(callId)) return;
		this.#shown.add(callId);
		this.#sendActivity("calling_tool", tool);
		if (this.#options.isPure(tool)) return;
		if (this.#physical.size === 0) this.#sendHint("mini", rozErrorTexts.toolRunning);
		this.#physical.add(callId);
	}

	/** Sends the terminal frame, and then the compactions of the turn. */
	end({ content, error, cause }: Event<"assistant.message">): void {
		const { send, messageId } = this.#options;
		// The answer of a workflow comes from its steps, so the run itself has sent no text of the answer.
		if (!this.#hasText && content !== "") this.#text(content);
		const stopReason = this.#stopReason(error, cause);
		if (stopReason === undefined) send(errorFrame(this.#codeOf(cause), error));
		else {
			this.#sendActivity("idle", "");
			const usage = this.#usage && encodeRozUsage(this.#usage);
			send(frame("turnComplete", { messageId, usage, stopReason }));
		}
		for (const compaction of this.#compacted) send(frame("contextCompacted", { ...compaction }));
	}

	#handle(event: Happened): void {
		switch (event.type) {
			case "model.calling":
				if (!event.auxiliary) this.#sendActivity("thinking", event.ooda ?? "");
				break;
			case "tool.started":
				this.#tools.set(event.callId, event.name);
				break;
			case "tool.running":
				this.calling(event.callId, this.#tools.get(event.callId) ?? "");
				break;
			case "tool.completed":
			case "tool.failed":
				this.#endCall(event.callId);
				break;
			case "prompt.requested":
			case "prompt.shown":
				if (event.prompt.approval) this.#sendActivity("waiting_approval", event.prompt.approval.callId);
				break;
			case "todo.updated":
				this.#advance(event.steps);
				break;
			default:
				this.#handleUsage(event);
		}
	}

	#handleUsage(event: Happened): void {
		switch (event.type) {
			case "context.updated":
				this.#tokens = { tokensUsed: event.total, tokensMax: event.window };
				this.#compacted.push(...event.compacted);
				break;
			case "model.called":
				this.#called = event;
				break;
			case "usage.updated":
				this.#usage = event.run;
				break;
			default:
				break;
		}
	}

	#advance(steps: Event<"todo.updated">["steps"]): void {
		const done = steps.filter(({ state }) => state === "completed").length;
		this.#progress = steps.length === 0 ? undefined : done / steps.length;
		this.#sendActivity(this.#activity.state, this.#activity.detail);
	}

	#endCall(callId: string): void {
		if (this.#physical.delete(callId) && this.#physical.size === 0)
			this.#sendHint("full", rozErrorTexts.toolEnded);
	}

	#text(content: string): void {
		this.#hasText = true;
		this.#delta("textDelta", content);
	}

	#delta(kind: "textDelta" | "thinkingDelta", content: string): void {
		this.#options.send(frame(kind, { messageId: this.#options.messageId, content }));
	}

	#sendActivity(state: string, detail: string): void {
		this.#activity = { state, detail };
		this.#options.send(frame("activityUpdate", { state, detail, progress: this.#progress }));
	}

	#sendHint(level: "full" | "mini", reason: string): void {
		this.#options.send(frame("presenceHint", { level, reason }));
	}

	/** Returns the reason why the turn ended, or undefined for a failed turn. */
	#stopReason(error: string, cause: EndCause | undefined): string | undefined {
		if (error === "cancelled") return "cancelled";
		if (cause === "refusal") return "refusal";
		if (cause === "cut") return "max_tokens";
		if (error !== "") return undefined;
		const { stop = "end_turn" } = this.#reply ?? {};
		return stop === "tool_use" ? "end_turn" : stop;
	}

	#codeOf(cause: EndCause | undefined): SessionErrorCode {
		switch (cause) {
			case "budget":
				return "budget_exceeded";
			case "denied":
				return "safety_violation";
			case "model":
				return this.#called?.fault === "rate-limited" ? "rate_limited" : "model_error";
			case undefined:
				return "internal";
			default:
				return "agent_error";
		}
	}
}
