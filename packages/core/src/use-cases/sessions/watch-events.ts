import type { Journal } from "../../store/journal.ts";
import type { Recorded, SessionEvent } from "../../vocabulary/event.ts";

const pageSize = 256;

interface Watching {
	readonly journal: Journal;
	/** Delivers live events of all sessions until the returned function is called. */
	readonly observe: (observer: (event: SessionEvent) => void) => () => void;
	/** Receives events in order. Must not throw. */
	readonly deliver: (event: Recorded) => void;
}

/**
 * Delivers every recorded event of a session once and in order, until the returned function is called. The
 * watcher does not join the session as a client.
 */
export async function watchEvents(
	sessionId: string,
	{ journal, observe, deliver }: Watching,
): Promise<() => void> {
	let seq = 0;
	/** Live events that arrive while the earlier events are read. */
	let early: Recorded[] | undefined = [];
	const pass = (event: Recorded): void => {
		if (event.seq <= seq) return;
		seq = event.seq;
		deliver(event);
	};
	const stop = observe((event) => {
		if (event.transient || event.sessionId !== sessionId) return;
		if (early) early.push(event);
		else pass(event);
	});
	try {
		let page: readonly Recorded[];
		do {
			page = await journal.after(sessionId, seq, pageSize);
			for (const event of page) pass(event);
		} while (page.length === pageSize);
	} catch (reason) {
		stop();
		throw reason;
	}
	for (const event of early) pass(event);
	early = undefined;
	return stop;
}
