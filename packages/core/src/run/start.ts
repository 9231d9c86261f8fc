import { ParleyError } from "@parley/base";
import { contextsOf } from "../context/contexts.ts";
import type { Compacted } from "../context/fit-request.ts";
import { compactSession, type Stoppable } from "../session/compact-session.ts";
import type { Keyed } from "../session/idempotency.ts";
import { type Accepted, acceptMessage, type NewMessage } from "../session/send.ts";
import type { Session } from "../session/session.ts";
import { execute } from "./execute.ts";
import { KeptPictures } from "./kept-pictures.ts";
import type { ProviderState } from "./provider-health.ts";
import { findActive, historyFor, readHistory, readSteps } from "./queue.ts";
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
	async send(session: Session, request: Keyed, message: NewMessage): Promise<Accepted> {
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
		const run = new Run(row, steps, session, this.#deps);
		run.resumed = resumed;
		const before = [...session.live.values()].map(({ ended }) => ended);
		session.begin(run);
		run.ended = this.#follow(run, before);
	}

	/** Goes on with a run that the last stop of the gateway left active. */
	async resume(session: Session, row: RunRow): Promise<void> {
		const steps = await readSteps(session.deps.journal.store, row.id);
		this.start(session, row, { steps, resumed: true });
	}

	async #follow(first: Run, before: readonly Promise<void>[]): Promise<void> {
		const { session } = first;
		// The end of the run before is durable, or this one could not be active, but perhaps not in memory yet.
		await Promise.all(before);
		let run: Run | undefined = first;
		let next: RunRow | undefined;
		for (let failures = 0; run; failures++) {
			try {
				if (failures > 0) run = await this.#again(run, failures);
				if (run && !this.#stopped) next = await work(run);
				this.#pictures.keep(session);
				break;
			} catch (error) {
				if (isLost(run, error)) break;
				// What it did is recorded up to some step, and nobody was told more: it goes on from there.
				logFailure(first, failures, error);
			}
		}
		session.live.delete(first.id);
		if (next) this.start(session, next);
		else this.#onIdle(session);
	}

	/** The run as the record has it, after a pause that grows; undefined where it has ended after all, or is to stop. */
	async #again(failed: Run, failures: number): Promise<Run | undefined> {
		const { session } = failed;
		const { clock, journal } = session.deps;
		const { promise, resolve } = Promise.withResolvers<void>();
		const timer = clock.after(Math.min(longestPauseMs, firstPauseMs * 2 ** failures), resolve);
		// A cancel ends the pause. A run that was cancelled before waits, because its end cannot be stored yet.
		failed.signal.addEventListener("abort", () => resolve(), { once: true });
		await Promise.race([promise, this.#stopping.promise]);
		timer.cancel();
		if (this.#stopped) return undefined;
		const row = await journal.store.read((db) => findActive(db, session.id));
		if (row?.id !== failed.id) return undefined;
		const run = new Run(row, await readSteps(journal.store, failed.id), session, this.#deps);
		run.resumed = true;
		run.ended = failed.ended;
		session.begin(run);
		return run;
	}
}

/** A full disk stays full for a while: the log says so once, and then it is not to fill that disk too. */
function logFailure({ log }: Run, failures: number, error: unknown): void {
	log[failures === 0 ? "error" : "debug"]("a run could not be recorded and is tried again", { error });
}

/** Whether it is of a task that another worker has taken over, and goes on there. */
function isLost(run: Run | undefined, error: unknown): boolean {
	return run?.cause === "parked" && ParleyError.from(error).code === "aborted";
}

/** Works on the run and keeps in memory what its session's next one needs. */
async function work(run: Run): Promise<RunRow | undefined> {
	const { session } = run;
	run.log.info("run started", { resumed: run.resumed });
	run.history = await historyBefore(run);
	const next = await execute(run);
	if (run.cause !== "parked") {
		const own = { ordinal: run.row.ordinal, messages: messagesOf(run.row, run.steps) };
		session.history = [...run.history, own];
	}
	return next;
}

/** Runs of a session follow each other, so that what the last one left in memory is what the next one needs. */
async function historyBefore({ session, row }: Run): Promise<Run["history"]> {
	const history = session.history ?? (await readHistory(session.deps, session.id, row.ordinal));
	return historyFor(row, history);
}
