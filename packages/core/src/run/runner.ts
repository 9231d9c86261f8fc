import { type Clock, ParleyError } from "@parley/base";
import { contextsOf } from "../context/contexts.ts";
import type { Compacted } from "../context/fit-request.ts";
import { compactSession, type Stoppable } from "../session/compact-session.ts";
import type { Keyed } from "../session/idempotency.ts";
import { type Accepted, acceptMessage, type NewMessage } from "../session/send.ts";
import type { Session, SessionDeps } from "../session/session.ts";
import type { Sessions } from "../session/sessions.ts";
import { endingOf, endRun } from "./end-run.ts";
import { runLoop } from "./loop.ts";
import type { RunOptions } from "./options.ts";
import type { ProviderState } from "./provider-health.ts";
import { claimNext, findActive, historyFor, readHistory, readSteps } from "./queue.ts";
import { KeptPictures } from "./room-for-pictures.ts";
import { Run, type RunDeps, type RunRow } from "./run.ts";
import type { Step } from "./step.ts";
import { messagesOf } from "./transcript.ts";

const firstPauseMs = 250;
const longestPauseMs = 30_000;

/** How a run starts. */
interface Starting {
	/** What a restart found of it. */
	readonly steps?: readonly Step[];
	/** Whether a stop of the gateway came before it. */
	readonly resumed?: boolean;
}

/** Starts and follows runs; once told to stop it starts no more. */
export class Runner {
	readonly #deps: RunDeps;
	/** Called when a session has nothing left to do. */
	readonly #onIdle: (session: Session) => void;
	readonly #pictures = new KeptPictures<Session>((session) => contextsOf(session.deps).forget(session));
	#stopped = false;
	readonly #stopping = Promise.withResolvers<void>();

	constructor(deps: RunDeps, onIdle: (session: Session) => void) {
		this.#deps = deps;
		this.#onIdle = onIdle;
	}

	/** How the providers have answered its runs so far. */
	get providers(): readonly ProviderState[] {
		return this.#deps.health.list();
	}

	/** From now on runs that were claimed wait for the next start of the gateway. */
	stop(): void {
		this.#stopped = true;
		this.#stopping.resolve();
	}

	/** Accepts a message, and starts its run if the session has no other work. */
	async send(
		session: Session,
		request: Keyed,
		message: NewMessage & { readonly options?: RunOptions },
	): Promise<Accepted> {
		const { accepted } = await this.begin(session, acceptMessage(session, request, message));
		return accepted;
	}

	/** Starts what was accepted, where nothing is in its way. */
	async begin<T extends { readonly start: RunRow | undefined }>(
		session: Session,
		accepting: Promise<T>,
	): Promise<T> {
		const accepted = await accepting;
		if (accepted.start) this.start(session, accepted.start);
		return accepted;
	}

	/** Puts a summary in the place of all that a session at rest has said; runs wait until it is done. */
	compact(session: Session, request: Keyed, ending: Stoppable): Promise<Compacted | undefined> {
		return compactSession({ session, deps: this.#deps }, request, ending);
	}

	/** Starts a claimed run, unless it works already. */
	start(session: Session, row: RunRow, { steps = [{ kind: "call" }], resumed = false }: Starting = {}): void {
		if (this.#stopped || session.removed || session.live.has(row.id)) return;
		const run = new Run({ row, steps, resumed }, session, this.#deps);
		const before = [...session.live.values()].map(({ ended }) => ended);
		session.begin(run.control);
		run.control.ended = this.#follow(run, before);
	}

	/** Continues a run that the last stop of the gateway left active. */
	async resume(session: Session, row: RunRow): Promise<void> {
		const steps = await readSteps(session.deps.journal.store, row.id);
		this.start(session, row, { steps, resumed: true });
	}

	/** Completes a run when the runs before it have ended, then starts the session's next run. */
	async #follow(run: Run, before: readonly Promise<void>[]): Promise<void> {
		// The record has the end of the run before, but the memory of this process may not have it yet.
		await Promise.all(before);
		const next = await this.#complete(run);
		const { session } = run;
		session.live.delete(run.id);
		if (next) this.start(session, next);
		else this.#onIdle(session);
	}

	/** Works on a run until it has ended or is parked. If the store fails, it continues from the record after a pause. */
	async #complete(first: Run): Promise<RunRow | undefined> {
		let run = first;
		for (let failures = 0; !this.#stopped; ) {
			try {
				const current = failures === 0 ? first : await this.#readAgain(run);
				if (!current) return undefined;
				run = current;
				return await this.#work(run);
			} catch (error) {
				if (isLost(run, error)) return undefined;
				logFailure(first, failures, error);
			}
			failures += 1;
			await this.#pause(run, failures);
		}
		return undefined;
	}

	/** Works on a run from its recorded steps on. Returns the next run, which its end has claimed. */
	async #work(run: Run): Promise<RunRow | undefined> {
		run.log.info("run started", { resumed: run.resumed });
		run.history = await historyBefore(run);
		run.control.working.start();
		try {
			for (;;) {
				const ending = await runLoop(run).catch((reason: unknown) => endingOf(run, reason));
				const ended = await endRun(run, ending);
				if (!ended) continue;
				this.#remember(run);
				return ended.next;
			}
		} finally {
			run.control.working.stop();
		}
	}

	/** Keeps in memory what the session's next run needs. */
	#remember({ session, history, control, row, steps }: Run): void {
		if (control.cause !== "parked") {
			session.history = [...history, { ordinal: row.ordinal, messages: messagesOf(row, steps) }];
		}
		this.#pictures.keep(session);
	}

	/** Waits longer after each failure. A stop of the gateway or a cancel of the run ends the pause. */
	async #pause({ session, control }: Run, failures: number): Promise<void> {
		const { promise, resolve } = Promise.withResolvers<void>();
		const timer = session.deps.clock.after(Math.min(longestPauseMs, firstPauseMs * 2 ** failures), resolve);
		// A run that was cancelled before waits, because its end cannot be stored yet.
		control.signal.addEventListener("abort", () => resolve(), { once: true });
		await Promise.race([promise, this.#stopping.promise]);
		timer.cancel();
	}

	/** A run that failed, with its recorded steps. Undefined if it has ended after all. */
	async #readAgain({ id, session, control }: Run): Promise<Run | undefined> {
		const { store } = session.deps.journal;
		const row = await store.read((db) => findActive(db, session.id));
		if (row?.id !== id) return undefined;
		const run = new Run({ row, steps: await readSteps(store, id), resumed: true }, session, this.#deps);
		run.control.ended = control.ended;
		session.begin(run.control);
		return run;
	}
}

/** A full disk stays full for a while: the log says so once, and then it is not to fill that disk too. */
function logFailure({ log }: Run, failures: number, error: unknown): void {
	log[failures === 0 ? "error" : "debug"]("a run could not be recorded and is tried again", { error });
}

/** Whether it is of a task that another worker has taken over, and goes on there. */
function isLost({ control }: Run, error: unknown): boolean {
	return control.cause === "parked" && ParleyError.from(error).code === "aborted";
}

/** Runs of a session follow each other, so that what the last one left in memory is what the next one needs. */
async function historyBefore({ session, row }: Run): Promise<Run["history"]> {
	const history = session.history ?? (await readHistory(session.deps, session.id, row.ordinal));
	return historyFor(row, history);
}

/** Continues every run that a stop of the gateway left unfinished. Returns the number of their sessions. */
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

/** Parks runs that wait for people at once, the others when the grace is over; resolves when all stand still. */
export async function drain(sessions: AsyncIterable<Session>, graceMs: number, clock: Clock): Promise<void> {
	const runs = (await Array.fromAsync(sessions)).flatMap((session) => [...session.live.values()]);
	for (const run of runs) if (run.waiting) run.park();
	const timer = clock.after(graceMs, () => {
		for (const run of runs) run.park();
	});
	await Promise.all(runs.map((run) => run.ended));
	timer.cancel();
}
