import type { SessionDeps } from "../session/session.ts";
import type { Sessions } from "../session/sessions.ts";
import { claimNext, findActive } from "./queue.ts";
import type { Runner } from "./start.ts";

/** Goes on with every run that a stop of the gateway left unfinished. Returns the number of their sessions. */
export async function resumeUnfinished(
	deps: SessionDeps,
	sessions: Sessions,
	runner: Runner,
): Promise<number> {
	const open = await deps.journal.store.read((db) =>
		db
			.selectFrom("runs")
			.innerJoin("sessions", "sessions.id", "runs.session_id")
			.select("session_id")
			.distinct()
			.where("state", "<>", "ended")
			// Those of tasks are taken up with their tasks.
			.where("task_id", "is", null)
			.execute(),
	);
	for (const { session_id } of open) {
		try {
			await resume(session_id, { deps, sessions, runner });
		} catch (error) {
			// One session that cannot be read must not keep the others from being served.
			deps.log.error("a session could not go on", { sessionId: session_id, error });
		}
	}
	return open.length;
}

interface Parts {
	readonly deps: SessionDeps;
	readonly sessions: Sessions;
	readonly runner: Runner;
}

async function resume(sessionId: string, { deps, sessions, runner }: Parts): Promise<void> {
	using lease = await sessions.leaseOwn(sessionId);
	const { session } = lease;
	const active = await deps.journal.store.read((db) => findActive(db, session.id));
	if (active && session.live.has(active.id)) return;
	if (active) {
		// Awaited, or the lease would be over before the run holds the session.
		await runner.resume(session, active);
		return;
	}
	const claimed = await session.commit((tx) => claimNext(tx, session, deps.clock.now()));
	if (claimed) runner.start(session, claimed);
}
