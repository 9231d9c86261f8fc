import { type Clock, type Logger, ParleyError, type Timer } from "@parley/base";
import type { ClientCall, Feedback, Keyed, Principal, Runtime } from "@parley/core";
import type {
	MessageFeedback,
	PermissionDecision,
	RegisterTools,
	SessionRequest,
	SessionResponse,
	StartSession,
	ToolResult,
	UserMessage,
} from "../../gen/roz/v1/agent.ts";
import { rozErrorTexts } from "../../texts/wires/grpc.ts";
import { type ErrorRedactor, shownError } from "../shared/error-text.ts";
import { decodeTools, errorFrame, frame } from "./codec.ts";
import { isStatus, type SessionErrorCode, sessionCodes } from "./error-code.ts";
import type { Hosts } from "./methods/hosts.ts";
import { answerApproval, OpenApprovals } from "./methods/permission-decision.ts";
import { type StartedSession, startSession } from "./methods/start-session.ts";
import { Turn } from "./methods/turn.ts";
import { type ComposedMessage, composeMessage } from "./methods/user-message.ts";

/** Milliseconds without a turn after which the client may hide the agent. */
const hiddenAfterMs = 600_000;

export interface SessionStreamOptions {
	readonly runtime: Runtime;
	readonly principal: Principal;
	readonly clock: Clock;
	readonly log: Logger;
	readonly redactor: ErrorRedactor;
	readonly newId: () => string;
	readonly resumed: string | undefined;
	readonly hosts: Hosts;
	/**
	 * Id of the host that the client of this stream provides for other sessions. Undefined if the client is not a host.
	 */
	readonly ownHostId: string | undefined;
	/**
	 * Pauses the reads of the transport if a frame must wait until the session is open. Without the pause, a flood of
	 * frames could fill the memory. Called with `false` when the session is open or the stream is over. The reads then
	 * continue.
	 */
	readonly setPaused: (isPaused: boolean) => void;
	/** Sends a response to the client; must not throw. */
	readonly send: (response: SessionResponse) => void;
	/** Reports once that no further frame follows. */
	readonly finished: () => void;
	/** Reports that the client has no right to start, or exceeds a limit. Called instead of `finished`. */
	readonly refused: (error: ParleyError) => void;
}

/** One `StreamSession` stream, without a transport. Handles frames in order. Only a ping is answered immediately. */
export class SessionStream {
	readonly #options: SessionStreamOptions;
	#phase: "new" | "starting" | "open" | "over" = "new";
	#session: StartedSession | undefined;
	#turn: Turn | undefined;
	readonly #approvals = new OpenApprovals();
	/** Frames that arrived before the session was open. */
	#queue: SessionRequest[] = [];
	/** Whether the client has closed its half of the stream. */
	#isClosed = false;
	#hidden: Timer | undefined;

	constructor(options: SessionStreamOptions) {
		this.#options = options;
	}

	/** Handles a frame of the client. Ignores an empty or unknown frame. */
	receive(request: SessionRequest): void {
		if (this.#phase === "over") return;
		const { request: content } = request;
		if (content?.$case === "ping") {
			this.#send(frame("pong", {}));
			return;
		}
		if (this.#phase === "starting") {
			this.#queue.push(request);
			this.#options.setPaused(true);
			return;
		}
		this.#handle(content);
	}

	/**
	 * Handles a client that has closed its half of the stream. While the session opens, the close waits. If a turn is
	 * running, the stream ends after the turn, otherwise at once.
	 */
	close(): void {
		this.#isClosed = true;
		// Frames that wait for the session are handled before the close.
		if (this.#phase === "starting") return;
		this.#session?.tools.leave();
		if (!this.#turn) this.#end();
	}

	/** Ends the stream without a frame. The run of the turn continues. */
	abandon(): void {
		this.#end();
	}

	#handle(content: SessionRequest["request"]): void {
		switch (content?.$case) {
			case "start":
				this.#start(content.value);
				break;
			case "userMessage":
				this.#sendMessage(content.value);
				break;
			case "toolResult":
				this.#result(content.value);
				break;
			case "cancelTurn":
				this.#turn?.cancel();
				break;
			case "cancelSession":
				this.#turn?.cancel();
				this.#end();
				break;
			case "feedback":
				this.#storeFeedback(content.value);
				break;
			case "permissionDecision":
				this.#decide(content.value);
				break;
			case "registerTools":
				this.#register(content.value);
				break;
			default:
				break;
		}
	}

	#start(command: StartSession): void {
		if (this.#phase !== "new") {
			this.#fail("already_started", rozErrorTexts.alreadyStarted);
			return;
		}
		this.#phase = "starting";
		this.#open(command).catch((reason: unknown) => {
			const error = this.#shown(reason);
			if (isStatus(error.code)) {
				this.#end(() => this.#options.refused(error));
				return;
			}
			this.#failWith(error);
			this.#end();
		});
	}

	async #open(command: StartSession): Promise<void> {
		const session = await startSession(command, {
			...this.#options,
			deliver: (happened) => {
				this.#approvals.receive(happened.event);
				this.#turn?.receive(happened);
			},
			calling: ({ callId, name }) => this.#turn?.calling(callId, name),
			request: (call) => this.#request(call),
		});
		if (this.#phase === "over") {
			await session.discard();
			return;
		}
		this.#session = session;
		this.#phase = "open";
		const { view, model, permissions } = session;
		this.#send(frame("sessionStarted", { sessionId: view.id, model, permissions }));
		this.#hideLater();
		const queue = this.#queue;
		this.#queue = [];
		for (const request of queue) this.receive(request);
		if (queue.length > 0) this.#options.setPaused(false);
		if (this.#isClosed) this.close();
	}

	#sendMessage(command: UserMessage): void {
		const session = this.#requireSession();
		if (!session) return;
		if (this.#turn) {
			this.#fail("turn_in_progress", rozErrorTexts.turnInProgress);
			return;
		}
		const messageId = command.messageId || this.#options.newId();
		let message: ComposedMessage;
		try {
			message = composeMessage(command, session);
			session.tools.offerInstead(
				messageId,
				command.tools.length > 0 ? decodeTools(command.tools) : undefined,
			);
		} catch (reason) {
			this.#failWith(reason);
			return;
		}
		this.#hidden?.cancel();
		const turn = this.#turnOf(messageId, session);
		this.#turn = turn;
		turn.start(message).catch((reason: unknown) => {
			// The stream may have ended meanwhile.
			if (this.#turn !== turn) return;
			turn.stop();
			this.#endTurn(session);
			this.#failWith(reason);
			if (this.#isClosed) this.#end();
		});
	}

	#turnOf(messageId: string, session: StartedSession): Turn {
		const { clock, log } = this.#options;
		return new Turn({
			messageId,
			session,
			clock,
			log,
			keyed: (method) => this.#keyed(method),
			send: (response) => this.#send(response),
			ending: () => this.#endTurn(session),
			ended: () => {
				if (this.#isClosed) this.#end();
			},
		});
	}

	#endTurn({ tools }: StartedSession): void {
		this.#turn = undefined;
		tools.endTurn();
		this.#hideLater();
	}

	#hideLater(): void {
		this.#hidden?.cancel();
		if (this.#phase !== "open") return;
		this.#hidden = this.#options.clock.after(hiddenAfterMs, () => {
			this.#send(frame("presenceHint", { level: "hidden", reason: rozErrorTexts.idle }));
		});
	}

	#request({ callId, name, arguments: parameters, timeoutMs }: ClientCall): void {
		this.#send(frame("toolRequest", { toolCallId: callId, toolName: name, parameters, timeoutMs }));
	}

	#result(result: ToolResult): void {
		const session = this.#requireSession();
		// The answer may belong to a run that another client of the session started, because such a run also calls the
		// tools of this client.
		if (!session || session.tools.answer(result) || this.#turn) return;
		this.#fail("no_active_turn", rozErrorTexts.noActiveTurn);
	}

	#register(registration: RegisterTools): void {
		const session = this.#requireSession();
		if (!session) return;
		try {
			session.tools.register(registration);
		} catch (reason) {
			this.#fail("invalid_argument", this.#shown(reason).message);
		}
	}

	#decide(decision: PermissionDecision): void {
		const turn = this.#turn;
		const answer = this.#approvals.answerTo(decision, (prompt) => turn?.requested(prompt) ?? false);
		if (!answer || !this.#session) return;
		answerApproval(this.#session.view, this.#keyed("PermissionDecision"), answer).catch((error: unknown) => {
			this.#options.log.warn("a decision could not be stored", { callId: answer.callId, error });
		});
	}

	#storeFeedback(feedback: MessageFeedback): void {
		const about = this.#session && feedbackOf(feedback, this.#session.view.id);
		if (!about) return;
		const { runtime, log } = this.#options;
		runtime.feedback
			.record(this.#keyed("MessageFeedback"), about.sessionId, about.feedback)
			.catch((error: unknown) => log.info("feedback could not be stored", { ...about, error }));
	}

	#end(finish = this.#options.finished): void {
		if (this.#phase === "over") return;
		this.#phase = "over";
		this.#hidden?.cancel();
		this.#turn?.stop();
		this.#turn = undefined;
		if (this.#session) this.#leave(this.#session);
		finish();
		if (this.#queue.length === 0) return;
		// The transport can close the stream only after it has read all frames.
		this.#queue = [];
		this.#options.setPaused(false);
	}

	#leave({ tools, view }: StartedSession): void {
		tools.leave();
		view.leave().catch((error: unknown) => this.#options.log.error("a session could not be left", { error }));
	}

	#requireSession(): StartedSession | undefined {
		if (!this.#session) this.#fail("no_session", rozErrorTexts.noSession);
		return this.#session;
	}

	#fail(code: SessionErrorCode, message: string): void {
		this.#send(errorFrame(code, message));
	}

	#failWith(reason: unknown): void {
		const { code, message } = this.#shown(reason);
		this.#fail(sessionCodes[code], message);
	}

	#send(response: SessionResponse): void {
		if (this.#phase !== "over") this.#options.send(response);
	}

	#keyed(method: string): Keyed {
		return { principal: this.#options.principal, key: undefined, method, params: undefined };
	}

	#shown(reason: unknown): ParleyError {
		const shown = shownError(reason, this.#options.redactor);
		if (shown.code !== "internal" && shown.code !== "data_loss") return shown;
		this.#options.log.error("a session failed", { error: reason });
		return new ParleyError("internal error", { code: "internal" });
	}
}

const ratings: Readonly<Record<string, Feedback["rating"]>> = { up: "good", down: "bad" };

/**
 * Returns the feedback and its session, or undefined for an unknown rating. A frame without a session applies to the
 * session of the stream.
 */
function feedbackOf(
	{ sessionId, messageId, rating }: MessageFeedback,
	ownSessionId: string,
): { readonly sessionId: string; readonly feedback: Feedback } | undefined {
	const given = Object.hasOwn(ratings, rating) ? ratings[rating] : undefined;
	if (!given) return undefined;
	const feedback = { runId: messageId, rating: given, comment: "" };
	return { sessionId: sessionId === "" ? ownSessionId : sessionId, feedback };
}
