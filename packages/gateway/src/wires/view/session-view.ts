import type {
	Accepted,
	Follower,
	Keyed,
	Principal,
	PromptResponse,
	Runtime,
	SessionEvent,
} from "@parley/core";

type NewSession = Parameters<Runtime["create"]>[1];
type Message = Parameters<Runtime["send"]>[2];
type RunChoices = Parameters<Runtime["send"]>[3];
type Ending = NonNullable<Parameters<Runtime["cancel"]>[2]>;
type Cancelled = Awaited<ReturnType<Runtime["cancel"]>>;

export interface Following {
	/** Principal that reads the session. Requests have their own principals. */
	readonly principal: Principal;
	/** `seq` after which the replay starts. If it is undefined, the client gets no past events. */
	readonly afterSeq?: number | undefined;
	/** Receives the events in order; must not throw. */
	readonly deliver: (event: SessionEvent) => void;
	/** Resolves when the client can receive more events of a replay. */
	readonly drained: () => Promise<void>;
}

/**
 * One client's view of one session, for all wires: events, messages, runs and prompts. Each request has its own principal,
 * because a connector acts for several people.
 */
export class SessionView {
	readonly #runtime: Runtime;
	readonly #follower: Follower;

	private constructor(runtime: Runtime, follower: Follower) {
		this.#runtime = runtime;
		this.#follower = follower;
	}

	/**
	 * Creates a session, or finds an existing session by its external key or by the key of the request. Call `join` to
	 * get the events of the session.
	 */
	static create(
		runtime: Runtime,
		request: Keyed,
		requested: NewSession,
	): Promise<{ readonly id: string; readonly status: "created" | "resumed" }> {
		return runtime.create(request, requested);
	}

	/**
	 * Joins a session. `begin` starts the events. Rejects with `not_found` for a session that the client may not read.
	 * Rejects with `failed_precondition` for an `afterSeq` above the last `seq`, and for the session of a task.
	 */
	static async join(runtime: Runtime, sessionId: string, following: Following): Promise<SessionView> {
		const { principal, afterSeq, deliver, drained } = following;
		return new SessionView(
			runtime,
			await runtime.follow(principal, sessionId, { afterSeq, deliver, drained }),
		);
	}

	get id(): string {
		return this.#follower.id;
	}

	/** Returns the `seq` that the newest recorded event had when the client joined. */
	get lastSeq(): number {
		return this.#follower.lastSeq;
	}

	/** Returns the `seq` of the last recorded event that was emitted, or 0. */
	get seq(): number {
		return this.#follower.seq;
	}

	/** Returns the model that was chosen for the session, or undefined if the profile or the gateway decides. */
	get model(): string | undefined {
		return this.#follower.model;
	}

	get profile(): string {
		return this.#follower.profile;
	}

	/**
	 * Delivers the missed events, the task list, the open prompts and the current reply, and then live events. Call it
	 * once.
	 */
	begin(): Promise<void> {
		return this.#follower.begin();
	}

	/** Ends the delivery. Runs and open prompts continue. */
	leave(): Promise<void> {
		return this.#follower.leave();
	}

	/**
	 * Accepts a message. The run of the message starts when the earlier runs of the session have ended. The options are
	 * stored with the run.
	 */
	send(request: Keyed, message: Message, options?: RunChoices): Promise<Accepted> {
		return this.#runtime.send(request, this.id, message, options);
	}

	cancel(request: Keyed, ending: Ending = {}): Promise<Cancelled> {
		return this.#runtime.cancel(request, this.id, ending);
	}

	/** Answers a prompt. Returns false if the prompt was already closed, so that the answer has no effect. */
	answer(request: Keyed, token: string, response: PromptResponse): Promise<boolean> {
		return this.#runtime.answer(request, token, response);
	}

	/**
	 * Approves the open tool calls and, until the trust ends, later tool calls of the session. Calls that always
	 * require approval are excluded. A connector's request changes nothing, and rejects with `permission_denied`
	 * unless a trust grant of the channel covers the person. Any other request rejects with `failed_precondition` if
	 * the session belongs to a channel.
	 */
	acceptAll(request: Keyed): Promise<void> {
		return this.#runtime.acceptAll(request, this.id);
	}

	/** Chooses the model of later runs. Returns the real name of the model. */
	async setModel(request: Keyed, requested: string): Promise<string> {
		return (await this.#runtime.setModel(request, this.id, requested)).model;
	}
}
