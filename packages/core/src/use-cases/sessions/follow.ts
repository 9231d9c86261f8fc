import { hotStatement, ParleyError, type Store } from "@parley/base";
import { sql } from "kysely";
import { openTodo, type TodoUpdated } from "../../conversation/newest-todo.ts";
import type { Session } from "../../conversation/session.ts";
import { belongsToTask, type Lease } from "../../conversation/sessions.ts";
import { fromRow, type Journal } from "../../store/journal.ts";
import type { Tables } from "../../store/tables.ts";
import type { SessionEvent } from "../../vocabulary/event.ts";
import type { Prompt } from "../../vocabulary/prompt.ts";
import type { TransientEvent } from "../../vocabulary/transient-event.ts";
import { sessionTexts } from "./texts.ts";

const pageSize = 256;

export interface Following {
	/** `seq` after which the replay starts. If undefined, no recorded event is replayed. */
	readonly afterSeq: number | undefined;
	/** Receives events in order. Must not throw. */
	readonly deliver: (event: SessionEvent) => void;
	/** Resolves when the client can receive more, so that a long replay is not buffered. */
	readonly drained: () => Promise<void>;
}

/** Subscription of one client to a session: missed events, then live events, without a gap. */
export class Follower {
	readonly id: string;
	/** Value of `seq` when the client joined. */
	readonly lastSeq: number;
	readonly #journal: Journal;
	readonly #session: Session;
	readonly #lease: Lease;
	readonly #following: Following;
	#cursor: number;
	#state: "joined" | "live" | "gone" = "joined";
	#membership: { leave(): Promise<void> } | undefined;

	private constructor(journal: Journal, lease: Lease, following: Following) {
		this.#journal = journal;
		this.id = lease.session.id;
		this.#session = lease.session;
		this.lastSeq = lease.session.bus.seq;
		this.#lease = lease;
		this.#following = following;
		this.#cursor = following.afterSeq ?? this.lastSeq;
	}

	/** Returns the `seq` of the last recorded event that was emitted, or 0. */
	get seq(): number {
		return this.#session.bus.seq;
	}

	/** Returns the model that was set for the session, or undefined if the profile or the gateway decides. */
	get model(): string | undefined {
		return this.#session.model;
	}

	get profile(): string {
		return this.#session.profile;
	}

	/**
	 * Joins a client to a leased session. The lease ends when the client leaves or joining fails. Throws
	 * `failed_precondition` for an `afterSeq` that does not exist, and for the session of a task.
	 */
	static async join(journal: Journal, lease: Lease, following: Following): Promise<Follower> {
		const follower = new Follower(journal, lease, following);
		const { taskId } = lease.session;
		try {
			if (taskId !== undefined) throw belongsToTask(taskId);
			if (follower.#cursor > follower.lastSeq) {
				throw new ParleyError(sessionTexts.noSeq(follower.#cursor), { code: "failed_precondition" });
			}
			await follower.#enter();
			return follower;
		} catch (reason) {
			lease[Symbol.dispose]();
			throw reason;
		}
	}

	/**
	 * Delivers the missed events, the to-do list of the active run, the open questions and the reply in
	 * progress, and then all live events. Call it once, when the client knows that it has joined.
	 */
	async begin(): Promise<void> {
		const from = this.#cursor;
		let questions = await openPrompts(this.#journal.store, this.#session.id, from);
		let todo = await this.#openTodo(from);
		while (this.#state === "joined" && this.#cursor < this.#session.bus.seq) {
			await this.#deliverPage();
			// The delivered events may have closed some of the questions.
			questions = await openPrompts(this.#journal.store, this.#session.id, from);
			todo = await this.#openTodo(from);
		}
		if (this.#state !== "joined") return;
		if (this.#session.removed) this.#pass({ type: "session.deleted" });
		// There is no `await` between the last check of the cursor and the end of this method, so no event is missed.
		if (todo) this.#pass({ ...todo, type: "todo.shown" });
		for (const prompt of questions) this.#pass({ type: "prompt.shown", prompt });
		const { reply } = this.#session.bus;
		if (reply) this.#pass({ type: "text.started", runId: reply.runId });
		if (reply && reply.text !== "") this.#pass({ type: "text.delta", ...reply });
		this.#state = "live";
	}

	#openTodo(from: number): Promise<TodoUpdated | undefined> {
		const { id, bus } = this.#session;
		return this.#journal.store.read((db) => openTodo(db, id, { from, last: bus.seq }));
	}

	/** Ends the subscription after the client has disconnected. Delivers no further events. */
	async leave(): Promise<void> {
		if (this.#state === "gone") return;
		this.#state = "gone";
		try {
			await this.#membership?.leave();
		} finally {
			this.#lease[Symbol.dispose]();
		}
	}

	async #enter(): Promise<void> {
		this.#membership = await this.#session.join((event) => {
			if (this.#state === "live") this.#following.deliver(event);
		});
	}

	async #deliverPage(): Promise<void> {
		const { bus } = this.#session;
		const published = bus.seq;
		const page = await this.#journal.after(this.id, this.#cursor, pageSize);
		// Durable events that were not yet emitted are delivered live, not from the journal.
		const missed = page.filter((event) => event.seq <= published);
		for (const event of missed) {
			if (this.#state !== "joined") return;
			this.#following.deliver(event);
			await this.#following.drained();
		}
		this.#cursor = missed.at(-1)?.seq ?? published;
	}

	#pass(event: TransientEvent): void {
		this.#following.deliver({ transient: true, sessionId: this.id, seq: this.#cursor, event });
	}
}

const openRequests = hotStatement<Tables, { sessionId: string; seq: number }, { request: string }>((db, p) =>
	db
		.selectFrom("prompts")
		.select("request")
		.where("session_id", "=", p("sessionId"))
		.where(sql<boolean>`state = 'open'`)
		.where("seq", "<=", p("seq"))
		.orderBy("seq"),
);

/** Returns the open questions up to `seq`. The replay contains the questions after `seq`. */
async function openPrompts(store: Store<Tables>, sessionId: string, seq: number): Promise<Prompt[]> {
	const rows = await store.read((db) => openRequests(db, { sessionId, seq }));
	return rows.map(({ request }) => fromRow<Prompt>(request));
}
