/** A frame of the gateway, as its codec has it. */
export interface ToldFrame {
	readonly $case: string;
	// True by the schema: the values are objects of these fields, of which each kind has some.
	readonly value: {
		readonly messageId?: string;
		readonly code?: string;
		readonly toolCallId?: string;
	};
}

/** A frame of the client, by its effect on the states of a session. */
export type ClientFrame =
	| "start"
	| "unusable start"
	| "message"
	| "unusable message"
	| "result"
	| "register"
	| "cancel turn"
	| "cancel session"
	| "ping"
	| "other";

/** Errors that end a turn; all others answer one frame of the client. */
const turnErrors = new Set(["model_error", "agent_error", "rate_limited", "budget_exceeded"]);

/**
 * The states of one stream as the document has them. It is told each frame of both sides in the order in which they
 * happen, and collects the frames that cannot be.
 */
export class SessionStates {
	readonly faults: string[] = [];
	/** Calls that the client was asked for, in order. */
	readonly asked: string[] = [];
	#phase: "new" | "starting" | "open" | "over" = "new";
	#isStartUsable = true;
	/** Frames that wait for the session. */
	#queue: { readonly frame: ClientFrame; readonly id: string }[] = [];
	/** The turn at work, by the id of its message. */
	#turn: string | undefined;
	#isClosed = false;
	#pongs = 0;
	/** Errors that are due, in order. */
	readonly #due: string[] = [];

	get isOver(): boolean {
		return this.#phase === "over";
	}

	get isStarting(): boolean {
		return this.#phase === "starting";
	}

	get turn(): string | undefined {
		return this.#turn;
	}

	/** Takes a frame of the client; `id` is that of a message. */
	sent(frame: ClientFrame, id = ""): void {
		if (this.#phase === "over") return;
		if (frame === "ping") this.#pongs += 1;
		else if (this.#phase === "starting") this.#queue.push({ frame, id });
		else this.#take(frame, id);
	}

	/** The client sends nothing more. */
	closed(): void {
		this.#isClosed = true;
	}

	/** The stream is broken. */
	broken(): void {
		this.#over();
	}

	/** The gateway has ended the stream. */
	finished(): void {
		const mayEnd = (this.#isClosed && this.#turn === undefined) || !this.#isStartUsable;
		if (this.#phase !== "over" && !mayEnd) this.faults.push("the stream has ended without a reason");
		this.#over();
	}

	/** Takes a frame of the gateway. */
	told({ $case, value }: ToldFrame): void {
		// Frames that waited for the session are answered in one go, also if one of them ends it.
		if ($case === "error" && value.code !== undefined && value.code === this.#due[0]) this.#due.shift();
		else if (this.#phase === "over") this.faults.push(`${$case} came after the end`);
		else if ($case === "pong") this.#pongs -= 1;
		else if ($case === "sessionStarted") this.#opened();
		else if ($case === "error") this.#failed(value.code ?? "");
		else this.#ofTurn($case, value);
	}

	/** What is still due when nothing more happens. */
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

	#take(frame: ClientFrame, id: string): void {
		if (this.#phase === "over") return;
		if (frame === "start" || frame === "unusable start") this.#start(frame === "start");
		else if (frame === "cancel session") this.#over();
		else if (frame === "cancel turn" || frame === "other") return;
		else if (this.#phase === "new") this.#due.push("no_session");
		else if (frame === "message" || frame === "unusable message") this.#say(frame === "message", id);
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

	#say(isUsable: boolean, id: string): void {
		if (this.#turn !== undefined) this.#due.push("turn_in_progress");
		else if (isUsable) this.#turn = id;
		else this.#due.push("invalid_argument");
	}

	#opened(): void {
		if (this.#phase !== "starting") this.faults.push("sessionStarted came without a start");
		if (!this.#isStartUsable) this.faults.push("a session has started that cannot be");
		this.#phase = "open";
		const queue = this.#queue;
		this.#queue = [];
		for (const { frame, id } of queue) this.#take(frame, id);
	}

	#failed(code: string): void {
		if (turnErrors.has(code)) {
			if (this.#turn === undefined) this.faults.push(`${code} came without a turn`);
			this.#turn = undefined;
			return;
		}
		this.faults.push(`${code} came where ${this.#due[0] ?? "no error"} was due`);
	}

	#ofTurn(kind: string, { messageId, toolCallId = "" }: ToldFrame["value"]): void {
		// Also told between turns.
		if (kind === "presenceHint" || kind === "contextCompacted") return;
		if (this.#turn === undefined) this.faults.push(`${kind} came without a turn`);
		if (messageId !== undefined && messageId !== this.#turn) {
			this.faults.push(`${kind} of ${messageId} came in the turn of ${this.#turn ?? "no message"}`);
		}
		if (kind === "toolRequest") this.asked.push(toolCallId);
		if (kind === "turnComplete") this.#turn = undefined;
	}
}
