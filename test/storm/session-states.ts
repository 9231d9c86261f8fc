/** A gateway frame as its codec represents it. */
export interface ReceivedFrame {
	readonly $case: string;
	// According to the schema, each value is an object with some of these fields.
	readonly value: {
		readonly messageId?: string;
		readonly code?: string;
		readonly toolCallId?: string;
	};
}

/** A client frame, classified by its effect on the state of a session. */
export type ClientFrame =
	| "start"
	| "unusable start"
	| "message"
	| "hosted message"
	| "unusable message"
	| "result"
	| "register"
	| "decision"
	| "cancel turn"
	| "cancel session"
	| "ping"
	| "other";

/**
 * Codes of errors that end a turn. `internal` also ends a turn whose host is not connected. Other errors answer one
 * frame of the client.
 */
const turnErrors = new Set(["model_error", "agent_error", "rate_limited", "budget_exceeded"]);

/**
 * The documented states of one stream. Receives the frames of both sides in order, and records each frame that its
 * state does not allow.
 */
export class SessionStates {
	readonly faults: string[] = [];
	readonly #isHostMissing: () => boolean;
	/** Ids of the calls that the gateway has sent to the client, in order. */
	readonly requested: string[] = [];
	#phase: "new" | "starting" | "open" | "over" = "new";
	#isStartUsable = true;
	/** Frames that are queued until the session exists. */
	#queue: { readonly frame: ClientFrame; readonly id: string }[] = [];
	/** Id of the message that started the active turn. */
	#turn: string | undefined;
	/** True if the turn must end because the host of the session is not connected. */
	#lacksHost = false;
	#isClosed = false;
	#pongs = 0;
	/** Errors that the gateway must still send, in order. */
	readonly #due: string[] = [];

	/** Starts before the first frame. `isHostMissing` returns true if the host of the session is not connected. */
	constructor(isHostMissing: () => boolean) {
		this.#isHostMissing = isHostMissing;
	}

	get isOver(): boolean {
		return this.#phase === "over";
	}

	get isStarting(): boolean {
		return this.#phase === "starting";
	}

	get turn(): string | undefined {
		return this.#turn;
	}

	/** Handles a frame of the client. `id` is the id of a message. */
	sent(frame: ClientFrame, id = ""): void {
		if (this.#phase === "over") return;
		if (frame === "ping") this.#pongs += 1;
		else if (this.#phase === "starting") this.#queue.push({ frame, id });
		else this.#receive(frame, id);
	}

	/** Handles the end of the client's side of the stream. */
	closed(): void {
		this.#isClosed = true;
	}

	broken(): void {
		this.#over();
	}

	/** Handles the end of the stream by the gateway. */
	finished(): void {
		const mayEnd = (this.#isClosed && this.#turn === undefined) || !this.#isStartUsable;
		if (this.#phase !== "over" && !mayEnd) this.faults.push("the stream has ended without a reason");
		this.#over();
	}

	received({ $case, value }: ReceivedFrame): void {
		// The queued frames are answered together, even if one of them ends the session.
		if ($case === "error" && value.code !== undefined && value.code === this.#due[0]) this.#due.shift();
		else if (this.#phase === "over") this.faults.push(`${$case} came after the end`);
		else if ($case === "pong") this.#pongs -= 1;
		else if ($case === "sessionStarted") this.#opened();
		else if ($case === "error") this.#failed(value.code ?? "");
		else this.#ofTurn($case, value);
	}

	/** Returns all faults, including frames that the gateway has not sent by the end. */
	rest(): string[] {
		if (this.#phase === "over") return this.faults;
		return [
			...this.faults,
			...(this.#turn === undefined ? [] : [`turn ${this.#turn} has no end`]),
			...(this.#pongs === 0 ? [] : [`${this.#pongs} pongs are missing`]),
			...(this.#due.length === 0 ? [] : [`these errors did not come: ${this.#due.join(", ")}`]),
			...(this.#phase === "starting" ? ["the session has not started"] : []),
			...(this.#isClosed ? ["the stream did not end after its half-close"] : []),
		];
	}

	#over(): void {
		this.#phase = "over";
		this.#turn = undefined;
	}

	#receive(frame: ClientFrame, id: string): void {
		if (this.#phase === "over") return;
		if (frame === "start" || frame === "unusable start") this.#start(frame === "start");
		else if (frame === "cancel session") this.#over();
		else if (["cancel turn", "decision", "other"].includes(frame)) return;
		else if (this.#phase === "new") this.#due.push("no_session");
		else if (frame.endsWith("message")) this.#message(frame, id);
		else if (frame === "result" && this.#turn === undefined) this.#due.push("no_active_turn");
	}

	#start(isUsable: boolean): void {
		if (this.#phase !== "new") {
			this.#due.push("already_started");
			return;
		}
		this.#phase = "starting";
		this.#isStartUsable = isUsable;
		if (!isUsable) this.#due.push("invalid_argument");
	}

	#message(frame: ClientFrame, id: string): void {
		if (this.#turn !== undefined) this.#due.push("turn_in_progress");
		else if (frame === "unusable message") this.#due.push("invalid_argument");
		else {
			this.#turn = id;
			this.#lacksHost = frame === "hosted message" && this.#isHostMissing();
		}
	}

	#opened(): void {
		if (this.#phase !== "starting") this.faults.push("sessionStarted came without a start");
		if (!this.#isStartUsable) this.faults.push("a session has started although its start is not usable");
		this.#phase = "open";
		const queue = this.#queue;
		this.#queue = [];
		for (const { frame, id } of queue) this.#receive(frame, id);
	}

	#failed(code: string): void {
		if (turnErrors.has(code) || (code === "internal" && this.#lacksHost)) {
			if (this.#turn === undefined) this.faults.push(`${code} came without a turn`);
			this.#turn = undefined;
			this.#lacksHost = false;
			return;
		}
		this.faults.push(`${code} came where ${this.#due[0] ?? "no error"} was due`);
	}

	#ofTurn(kind: string, { messageId, toolCallId = "" }: ReceivedFrame["value"]): void {
		// These frames may also arrive between turns.
		if (kind === "presenceHint" || kind === "contextCompacted") return;
		if (this.#turn === undefined) this.faults.push(`${kind} came without a turn`);
		if (messageId !== undefined && messageId !== this.#turn) {
			this.faults.push(`${kind} of ${messageId} came in the turn of ${this.#turn ?? "no message"}`);
		}
		if (this.#lacksHost && kind !== "keepalive") this.faults.push(`${kind} came in a turn without its host`);
		if (kind === "toolRequest") this.requested.push(toolCallId);
		if (kind === "turnComplete") this.#turn = undefined;
	}
}
