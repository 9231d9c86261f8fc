import type { Tx } from "../store/journal.ts";
import type { Recorded, RecordedEvent } from "../vocabulary/event.ts";
import type { Session } from "./session.ts";

/** Records events in one of the sessions; nothing where that was deleted meanwhile. */
export type RecordIn = (session: Session, ...events: readonly RecordedEvent[]) => Promise<Recorded[]>;

/**
 * Runs one command that concerns several sessions as one transaction, with the promises of `Session.commit` in each of
 * them. Without sessions there is nothing to record in, and `store` alone is written.
 */
export async function commitTogether<T>(
	store: Session["deps"]["journal"]["store"],
	sessions: readonly Session[],
	work: (tx: Tx, recordIn: RecordIn) => Promise<T>,
): Promise<T> {
	const slots = sessions.map((session) => ({ session, release: session.outlet.reserve() }));
	let recorded = new Map<Session, Recorded[]>();
	try {
		const result = await store.commit((tx) => {
			recorded = new Map();
			return work(tx, async (session, ...events) => {
				if (session.removed) return [];
				const appended = await session.deps.journal.append(tx, session.id, events);
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
