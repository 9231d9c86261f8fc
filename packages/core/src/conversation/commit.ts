import { ParleyError } from "@parley/base";
import type { Journal, Tx } from "../store/journal.ts";
import type { Recorded, RecordedEvent } from "../vocabulary/event.ts";
import type { EventBus } from "./event-bus.ts";

/** Records events in the current transaction and returns them with their numbers. */
export type RecordEvents = (...events: RecordedEvent[]) => Promise<Recorded[]>;

/** A session as far as transactions need it. */
export interface Recording {
	readonly id: string;
	/** Whether the session was deleted. */
	readonly removed: boolean;
	readonly bus: EventBus;
}

/** Records events in one of the sessions. Nothing if it was deleted meanwhile. */
export type RecordIn<S extends Recording> = (
	session: S,
	...events: readonly RecordedEvent[]
) => Promise<Recorded[]>;

/**
 * Runs one command as one transaction over several sessions. The events of each session leave in the order of the `commit`
 * calls, after the transaction is durable. If it throws, nothing has happened. `work` may run again with a new transaction.
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

/** A task as far as transactions of its conversation need it. */
interface CommittingTask {
	readonly taskId: string;
	/** The session that owns the task. */
	readonly home: Recording;
	readonly isStep: boolean;
	keep(tx: Tx): Promise<void>;
}

/**
 * Runs one command of a task's session as one transaction. Events for people are recorded in the session that owns the task.
 * Throws `aborted` without any change if another worker has taken over the task.
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
			throw new ParleyError(`task not found: ${task.taskId}`, { code: "not_found" });
		}
		await task.keep(tx);
		return work(tx, async (...events) => {
			const recorded = [];
			for (const event of events) {
				// The events of a workflow report its steps.
				if (task.isStep && event.type.startsWith("task.")) continue;
				recorded.push(...(await recordIn(isForOwner(event) ? home : session, event)));
			}
			return recorded;
		});
	});
}

const forOwner = /^(?:task|prompt|budget|file|grant)\./;

/** Whether an event of a task's conversation is recorded in the session that owns the task: people see or answer it. */
function isForOwner({ type }: RecordedEvent): boolean {
	return forOwner.test(type);
}
