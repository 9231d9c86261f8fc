import { type Clock, type Logger, ParleyError } from "@parley/base";
import {
	claimNext,
	findActive,
	historyFor,
	type RunRow,
	readHistory,
	readSteps,
} from "../conversation/queue.ts";
import type { Session } from "../conversation/session.ts";
import type { Sessions } from "../conversation/sessions.ts";
import type { Files } from "../files/files.ts";
import type { Keyed } from "../store/idempotency.ts";
import type { Journal } from "../store/journal.ts";
import type { Step } from "../vocabulary/step.ts";
import { messagesOf } from "../vocabulary/transcript.ts";
import { type CompactPorts, compactSession, type Stoppable, startCompaction } from "./compact-session.ts";
import type { Compacted } from "./context/fit-request.ts";
import { type Ended, type EndPorts, endingOf, endRun } from "./end-run.ts";
import { LoadedImages } from "./images/room-for-images.ts";
import { type LoopPorts, runLoop } from "./loop.ts";
import type { ProviderState } from "./run/provider-health.ts";
import { Run, type RunPorts } from "./run/run.ts";
import { runEndTexts } from "./texts.ts";

const firstPauseMs = 250;
const longestPauseMs = 30_000;

interface Starting {
	/** Stored steps of a run that continues. Default: one step, which starts the first model call. */
	readonly steps?: readonly Step[];
	/** Whether the run continues from stored steps. */
	readonly resumed?: boolean;
}

export interface RunnerPorts extends RunPorts, LoopPorts, EndPorts, CompactPorts {}

/** Starts runs, and works on each run until it ends or is parked. Starts no run after `stop`. */
export class Runner {
	readonly #ports: RunnerPorts;
	/** Handles a session after work on its run has stopped, if no next run starts. */
	readonly #onIdle: (session: Session) => void;
	readonly #images = new LoadedImages<Session>((session) => this.#ports.contexts.forget(session));
	#stopped = false;
	readonly #stopping = Promise.withResolvers<void>();

	constructor(ports: RunnerPorts, onIdle: (session: Session) => void) {
		this.#ports = ports;
		this.#onIdle = onIdle;
	}

	get providers(): readonly ProviderState[] {
		return this.#ports.health.list();
	}

	/** Prevents the start of further runs. Claimed runs wait for the next start of the gateway. */
	stop(): void {
		this.#stopped = true;
		this.#stopping.resolve();
	}

	/** Replaces the transcript of an idle session with a summary: see `compactSession`. */
	compact(session: Session, request: Keyed, ending: Stoppable): Promise<Compacted | undefined> {
		return compactSession(session, request, ending, this.#ports);
	}

	/** Starts a compaction: see the function `startCompaction`. */
	startCompaction(session: Session, request: Keyed): Promise<{ readonly ended: Promise<void> }> {
		return startCompaction(session, request, this.#ports);
	}

	/**
	 * Starts a claimed run unless the session already works on this run. Does nothing if `row` is undefined, if the
	 * session was deleted, and after `stop`.
	 */
	start(
		session: Session,
		row: RunRow | undefined,
		{ steps = [{ kind: "call" }], resumed = false }: Starting = {},
	): void {
		if (!row || this.#stopped || session.removed || session.live.has(row.id)) return;
		const run = new Run({ row, steps, resumed }, session, this.#ports);
		const before = [...session.live.values()].map(({ ended }) => ended);
		session.begin(run.control);
		run.control.ended = this.#complete(run, before).then((next) => this.#startNext(run, next));
	}

	/** Continues a run from its stored steps. */
	async resume(session: Session, row: RunRow): Promise<void> {
		const steps = await readSteps(this.#ports.journal.store, row.id);
		this.start(session, row, { steps, resumed: true });
	}

	/**
	 * Executes a run until its end is stored. Returns the session's next run if the end of the run claimed a next run.
	 * After an error, for example of the store, continues from the stored state after a pause.
	 */
	async #complete(first: Run, before: readonly Promise<void>[]): Promise<RunRow | undefined> {
		// Waits for the earlier work of the session, which may still change the session's history in memory.
		await Promise.all(before);
		let run = first;
		for (let failures = 0; !this.#stopped; failures++) {
			try {
				const current = failures === 0 ? first : await this.#reload(run, failures);
				if (!current) return undefined;
				run = current;
				run.log.info(runEndTexts.started, { resumed: run.resumed });
				run.history = await historyBefore(run, this.#ports.files);
				run.control.working.start();
				let ended: Ended | undefined;
				// The run continues if a message arrived before its end.
				while (!ended) {
					const ending = await runLoop(run, this.#ports).catch((reason: unknown) => endingOf(run, reason));
					ended = await endRun(run, ending, this.#ports);
				}
				this.#remember(run);
				return ended.next;
			} catch (error) {
				if (isLost(run, error)) return undefined;
				logFailure(first, failures, error);
			} finally {
				run.control.working.stop();
			}
		}
		return undefined;
	}

	#startNext({ id, session }: Run, next: RunRow | undefined): void {
		session.live.delete(id);
		if (next) this.start(session, next);
		else this.#onIdle(session);
	}

	/** Adds the run to the history in memory, which the session's next run continues. */
	#remember({ session, history, control, row, steps }: Run): void {
		if (control.cause !== "parked") {
			session.history = [...history, { ordinal: row.ordinal, messages: messagesOf(row, steps) }];
		}
		this.#images.add(session);
	}

	/**
	 * Waits, longer after each failure, and then reads the stored state of a failed run. Returns undefined if the run has
	 * ended or the gateway is stopping.
	 */
	async #reload(failed: Run, failures: number): Promise<Run | undefined> {
		const { id, session, control } = failed;
		await this.#pause(failed, Math.min(longestPauseMs, firstPauseMs * 2 ** failures));
		if (this.#stopped) return undefined;
		const { store } = this.#ports.journal;
		const row = await store.read((db) => findActive(db, session.id));
		if (row?.id !== id) return undefined;
		const run = new Run({ row, steps: await readSteps(store, id), resumed: true }, session, this.#ports);
		run.control.ended = control.ended;
		session.begin(run.control);
		return run;
	}

	/** Waits for `ms`, or until the gateway stops or the run's signal aborts. */
	async #pause({ control }: Run, ms: number): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		const timer = this.#ports.clock.after(ms, resolve);
		// An earlier abort of the signal does not end the wait, because the end of the run cannot be stored yet.
		const stop = (): void => resolve();
		control.signal.addEventListener("abort", stop, { once: true });
		await Promise.race([promise, this.#stopping.promise]);
		control.signal.removeEventListener("abort", stop);
		timer.cancel();
	}
}

function logFailure({ log }: Run, failures: number, error: unknown): void {
	// Only the first error has the level `error`, because a long fault, for example a full disk, must not fill
	// the log.
	log[failures === 0 ? "error" : "debug"](runEndTexts.notRecorded, { error });
}

/** Whether the claim of the task was lost. Another worker then continues the task. */
function isLost({ control }: Run, error: unknown): boolean {
	return control.cause === "parked" && ParleyError.from(error).code === "aborted";
}

async function historyBefore({ session, row, journal }: Run, files: Files): Promise<Run["history"]> {
	// Runs of a session are sequential, so the history that a run leaves in memory is valid for the next run.
	const history = session.history ?? (await readHistory({ journal, files }, session.id, row.ordinal));
	return historyFor(row, history);
}

interface ResumePorts {
	readonly journal: Journal;
	readonly clock: Clock;
	readonly log: Logger;
}

/**
 * Continues the active run of each session. If no run is active, starts the oldest queued run of the session. Called
 * after the gateway starts. Ignores sessions of tasks. Returns the number of sessions with unfinished runs, including
 * sessions that could not be loaded.
 */
export async function resumeUnfinished(
	{ journal, clock, log }: ResumePorts,
	sessions: Sessions,
	runner: Runner,
): Promise<number> {
	const open = await journal.store.read((db) =>
		db
			.selectFrom("runs")
			.innerJoin("sessions", "sessions.id", "runs.session_id")
			.select("session_id")
			.distinct()
			.where("state", "<>", "ended")
			// Runs of tasks continue with their tasks.
			.where("task_id", "is", null)
			.execute(),
	);
	for (const { session_id } of open) {
		try {
			await resume(session_id, { journal, clock, sessions, runner });
		} catch (error) {
			// An unreadable session must not block other sessions.
			log.error(runEndTexts.cannotContinue, { sessionId: session_id, error });
		}
	}
	return open.length;
}

interface Parts {
	readonly journal: Journal;
	readonly clock: Clock;
	readonly sessions: Sessions;
	readonly runner: Runner;
}

async function resume(sessionId: string, { journal, clock, sessions, runner }: Parts): Promise<void> {
	using lease = await sessions.leaseOwn(sessionId);
	const { session } = lease;
	const active = await journal.store.read((db) => findActive(db, session.id));
	if (active && session.live.has(active.id)) return;
	if (active) {
		// Awaited, because the lease must not end before the run has started.
		await runner.resume(session, active);
		return;
	}
	const claimed = await session.commit((tx) => claimNext(tx, session, clock.now()));
	runner.start(session, claimed);
}

/** Parks waiting runs immediately, and working runs after the grace period. Resolves when all runs have stopped. */
export async function drain(sessions: AsyncIterable<Session>, graceMs: number, clock: Clock): Promise<void> {
	const runs = (await Array.fromAsync(sessions)).flatMap((session) => [...session.live.values()]);
	for (const run of runs) if (run.waiting) run.park();
	const timer = clock.after(graceMs, () => {
		for (const run of runs) run.park();
	});
	await Promise.all(runs.map((run) => run.ended));
	timer.cancel();
}
