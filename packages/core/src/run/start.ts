import type { Session } from "../session/session.ts";
import { execute } from "./execute.ts";
import { readHistory, readSteps } from "./queue.ts";
import { Run, type RunDeps, type RunRow } from "./run.ts";
import type { Step } from "./step.ts";
import { messagesOf } from "./transcript.ts";

/** Starts and follows runs; once told to stop it starts no more. */
export class Runner {
	readonly #deps: RunDeps;
	/** Called when a session has nothing left to do. */
	readonly #onIdle: (session: Session) => void;
	#stopped = false;

	constructor(deps: RunDeps, onIdle: (session: Session) => void) {
		this.#deps = deps;
		this.#onIdle = onIdle;
	}

	/** From now on runs that were claimed wait for the next start of the gateway. */
	stop(): void {
		this.#stopped = true;
	}

	/** Starts a claimed run; `steps` are what a restart found of it. */
	start(session: Session, row: RunRow, steps: readonly Step[] = [{ kind: "call" }]): void {
		if (this.#stopped) return;
		const run = new Run(row, steps, session, this.#deps);
		const before = [...session.live.values()].map(({ ended }) => ended);
		session.begin(run);
		run.ended = this.#follow(run, before);
	}

	/** Goes on with a run that the last stop of the gateway left active. */
	async resume(session: Session, row: RunRow): Promise<void> {
		this.start(session, row, await readSteps(session.deps.journal.store, row.id));
	}

	async #follow(run: Run, before: readonly Promise<void>[]): Promise<void> {
		const { session } = run;
		let next: RunRow | undefined;
		try {
			// The end of the run before is durable, or this one could not be active, but perhaps not in memory yet.
			await Promise.all(before);
			run.history = await historyBefore(run);
			next = await execute(run);
			if (run.cause !== "parked") {
				session.history = [...run.history, ...messagesOf(run.row.content, run.steps)];
			}
		} catch (reason) {
			// The record could not be written: the run stays active there, and the next start goes on with it.
			session.deps.log.error("a run could not be recorded", { runId: run.id, error: reason });
		}
		session.live.delete(run.id);
		if (next) this.start(session, next);
		else this.#onIdle(session);
	}
}

/** Runs of a session follow each other, so that what the last one left in memory is what the next one needs. */
async function historyBefore(run: Run): Promise<Run["history"]> {
	const { session, row } = run;
	return session.history ?? readHistory(session.deps.journal.store, session.id, row.ordinal);
}
