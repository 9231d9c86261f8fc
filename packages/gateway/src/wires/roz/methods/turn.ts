import type { Clock, Logger, Timer } from "@parley/base";
import type { Keyed, Prompt, SessionEvent } from "@parley/core";
import type { SessionResponse } from "../../../gen/roz/v1/agent.ts";
import { frame } from "../codec.ts";
import type { StartedSession } from "./start-session.ts";
import { TurnFrames } from "./turn-frames.ts";
import type { ComposedMessage } from "./user-message.ts";

/** Milliseconds between two keepalive frames. */
const keepaliveMs = 15_000;

interface TurnOptions {
	/** The client's id of the message, or one that the gateway chose. */
	readonly messageId: string;
	readonly session: StartedSession;
	readonly clock: Clock;
	readonly log: Logger;
	/** Returns a request of the client by the name of its frame. */
	readonly keyed: (method: string) => Keyed;
	readonly send: (response: SessionResponse) => void;
	/** Called before the terminal frame, which the client may answer with its next message. */
	readonly ending: () => void;
	/** Called after the terminal frame. */
	readonly ended: () => void;
}

/** One message of the client and its run, until the last event of the run. */
export class Turn {
	readonly #options: TurnOptions;
	readonly #frames: TurnFrames;
	/** Undefined until the message is accepted. */
	#runId: string | undefined;
	/** Events that came before the run was known. */
	#early: SessionEvent[] = [];
	/** Ids of the tasks of the steps of its workflow. */
	readonly #tasks = new Set<string>();
	#isCancelled = false;
	#isOver = false;
	#keepalive: Timer;

	constructor(options: TurnOptions) {
		const { messageId, session, clock, send } = options;
		this.#options = options;
		this.#frames = new TurnFrames({ messageId, send, isPure: (tool) => session.tools.isPure(tool) });
		this.#keepalive = clock.after(keepaliveMs, () => this.#keepAlive());
	}

	/** Sends the message. Throws as `SessionTools.beginTurn` and `SessionView.send` do. */
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
		for (const event of early) this.take(event);
	}

	/** Takes each event of the session in its order. */
	take(happened: SessionEvent): void {
		if (this.#isOver) return;
		if (this.#runId === undefined) {
			this.#early.push(happened);
			return;
		}
		const { event } = happened;
		if (!this.#includes(event)) return;
		if (event.type === "skill.step.started") this.#tasks.add(event.taskId);
		const last = this.#frames.take(happened);
		if (!last) return;
		this.stop();
		this.#options.ending();
		this.#frames.end(last);
		this.#options.ended();
	}

	/** Shows that a tool of a client is called. */
	calling(callId: string, tool: string): void {
		this.#frames.calling(callId, tool);
	}

	/** Whether the run of the turn, or a step of its workflow, needs the approval. */
	requested({ runId, taskId }: Prompt): boolean {
		return runId === this.#runId || (taskId !== undefined && this.#tasks.has(taskId));
	}

	/** Cancels the run. A message that is not accepted yet is cancelled when it has a run. */
	cancel(): void {
		this.#isCancelled = true;
		if (this.#runId !== undefined) this.#cancelRun(this.#runId);
	}

	/** Sends no more frames. The run goes on. */
	stop(): void {
		this.#isOver = true;
		this.#keepalive.cancel();
	}

	#includes(event: SessionEvent["event"]): boolean {
		if ("runId" in event) return event.runId === this.#runId;
		return "prompt" in event && this.requested(event.prompt);
	}

	#keepAlive(): void {
		this.#options.send(frame("keepalive", this.#frames.tokens));
		this.#keepalive = this.#options.clock.after(keepaliveMs, () => this.#keepAlive());
	}

	#cancelRun(runId: string): void {
		const { session, keyed, log } = this.#options;
		session.view
			.cancel(keyed("CancelTurn"), { runId })
			.catch((error: unknown) => log.error("a turn could not be cancelled", { error }));
	}
}
