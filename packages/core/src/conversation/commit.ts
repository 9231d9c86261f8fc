import { ParleyError } from "@parley/base";
import type { Journal, Tx } from "../store/journal.ts";
import type { Passing, Recorded, RecordedEvent, SessionEvent } from "../vocabulary/event.ts";
import type { TransientEvent } from "../vocabulary/transient-event.ts";
import { taskTexts } from "./texts.ts";

/** Records events in the current transaction and returns them with their `seq`. */
export type RecordEvents = (...events: RecordedEvent[]) => Promise<Recorded[]>;

/** Properties of a session that transactions use. */
export interface Recording {
	readonly id: string;
	readonly removed: boolean;
	readonly bus: EventBus;
}

/**
 * Records events in one of the sessions of the transaction. Does nothing if the session was deleted in the meantime.
 */
export type RecordIn<S extends Recording> = (
	session: S,
	...events: readonly RecordedEvent[]
) => Promise<Recorded[]>;

/**
 * Runs `work` in a single transaction over several sessions. After the transaction is durable, the events of each
 * session are emitted, in the order in which `commitTogether` was called. If `work` throws, the transaction is
 * rolled back. `work` may be called again with a new transaction.
 */
export async function commitTogether<T, S extends Recording>(
	journal: Journal,
	sessions: readonly S[],
	work: (tx: Tx, recordIn: RecordIn<S>) => Promise<T>,
): Promise<T> {
	const slots = sessions.map((session) => ({ session, release: session.bus.reserve() }));
	let recorded = new Map<S, Recorded[]>();
	try {
		const result = await journal.store.commit((tx) => {
			recorded = new Map();
			return work(tx, async (session, ...events) => {
				if (session.removed) return [];
				const appended = await journal.append(tx, session.id, events);
				recorded.set(session, [...(recorded.get(session) ?? []), ...appended]);
				return appended;
			});
		});
		for (const { session, release } of slots) release(recorded.get(session) ?? []);
		return result;
	} catch (reason) {
		for (const { release } of slots) release([]);
		throw reason;
	}
}

/** Properties of a task that transactions of the task's session use. */
interface CommittingTask {
	readonly taskId: string;
	/** The session that owns the task. */
	readonly home: Recording;
	readonly isStep: boolean;
	renew(tx: Tx): Promise<void>;
}

/**
 * Runs `work` for a task's session in a single transaction. Events for people are recorded in the session that owns the
 * task. Throws `aborted` and changes nothing if the claim of the task is lost. Throws `not_found` if the task's session
 * or the session that owns the task was deleted.
 */
export function commitForTask<T>(
	journal: Journal,
	session: Recording,
	task: CommittingTask,
	work: (tx: Tx, record: RecordEvents) => Promise<T>,
): Promise<T> {
	const { home } = task;
	return commitTogether(journal, [session, home], async (tx, recordIn) => {
		if (session.removed || home.removed) {
			throw new ParleyError(taskTexts.notFound(task.taskId), { code: "not_found" });
		}
		await task.renew(tx);
		return work(tx, async (...events) => {
			const recorded = [];
			for (const event of events) {
				// Workflow events already report the steps.
				if (task.isStep && event.type.startsWith("task.")) continue;
				recorded.push(...(await recordIn(isForOwner(event) ? home : session, event)));
			}
			return recorded;
		});
	});
}

const forOwner = /^(?:task|prompt|budget|file|grant)\./;

/** Whether people see and answer the event in the session that owns the task. */
function isForOwner({ type }: RecordedEvent): boolean {
	return forOwner.test(type);
}

/** Receives events of a session in order. Must not throw or block. */
export type Listener = (event: SessionEvent) => void;

interface Slot {
	events: readonly SessionEvent[] | undefined;
}

/** The reply that the model is writing. */
interface OpenReply {
	readonly runId: string;
	readonly text: string;
}

/**
 * Emits the events of one session in order. A recorded event is emitted when its transaction is durable. A transient
 * event is emitted immediately, or after recorded events that are not durable yet.
 */
export class EventBus {
	readonly #sessionId: string;
	readonly #listeners = new Set<Listener>();
	readonly #waiting: Slot[] = [];
	#seq: number;
	#reply: { readonly runId: string; text: string } | undefined;

	constructor(sessionId: string, lastSeq: number) {
		this.#sessionId = sessionId;
		this.#seq = lastSeq;
	}

	/** Returns the `seq` of the last emitted recorded event. */
	get seq(): number {
		return this.#seq;
	}

	get reply(): OpenReply | undefined {
		return this.#reply;
	}

	/**
	 * Reserves the next position for the events of a running transaction. All later events wait until the returned
	 * function is called with the recorded events, or with an empty list if the transaction failed.
	 */
	reserve(): (events: readonly Recorded[]) => void {
		const slot: Slot = { events: undefined };
		this.#waiting.push(slot);
		return (events) => {
			slot.events = events;
			this.#drain();
		};
	}

	pass(event: TransientEvent): void {
		const passing: Passing = { transient: true, sessionId: this.#sessionId, seq: this.#seq, event };
		if (this.#waiting.length === 0) this.#emit(passing);
		else this.#waiting.push({ events: [passing] });
	}

	listen(listener: Listener): () => void {
		this.#listeners.add(listener);
		return () => this.#listeners.delete(listener);
	}

	#drain(): void {
		let slot = this.#waiting[0];
		while (slot?.events) {
			this.#waiting.shift();
			for (const event of slot.events) this.#emit(event);
			slot = this.#waiting[0];
		}
	}

	#emit(event: SessionEvent): void {
		const out = this.#follow(event);
		for (const listener of this.#listeners) listener(out);
	}

	#follow(event: SessionEvent): SessionEvent {
		if (!event.transient) {
			this.#seq = event.seq;
			return event;
		}
		const { event: passed } = event;
		if (passed.type === "text.started") this.#reply = { runId: passed.runId, text: "" };
		else if (passed.type === "text.ended") this.#reply = undefined;
		else if (passed.type === "text.delta" && this.#reply) this.#reply.text += passed.text;
		// The `seq` of a transient event is the `seq` of the last recorded event that was emitted before the transient
		// event.
		return event.seq === this.#seq ? event : { ...event, seq: this.#seq };
	}
}
