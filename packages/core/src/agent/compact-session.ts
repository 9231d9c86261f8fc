import { type Clock, defined, delay, type Logger, ParleyError, type Store } from "@parley/base";
import { readHistory } from "../conversation/queue.ts";
import { compactionId, type LiveRun, type Session } from "../conversation/session.ts";
import type { Files } from "../files/files.ts";
import { answerOf, type Keyed, once } from "../store/idempotency.ts";
import type { Journal } from "../store/journal.ts";
import type { Tables } from "../store/tables.ts";
import { textOf } from "../vocabulary/transcript.ts";
import type { Contexts } from "./context/contexts.ts";
import { type Compacted, compactNow } from "./context/fit-request.ts";
import type { WriteText } from "./context/summarise.ts";
import { forgetCompaction, noteCompaction } from "./open-compactions.ts";
import { type SystemPromptOf, systemFor, withoutText } from "./replies/request.ts";
import { Tries } from "./replies/retries.ts";
import {
	callForSession,
	recordSessionCall,
	requireBudget,
	type SessionCaller,
} from "./replies/session-call.ts";
import type { SpendingPorts } from "./run/limits.ts";
import type { ChooseSettings } from "./run/run.ts";
import { modelLimits, type RunSettings } from "./run/settings.ts";
import { compactionTexts } from "./texts.ts";

export interface Stoppable {
	readonly signal: AbortSignal;
}

export interface CompactPorts extends SpendingPorts {
	readonly journal: Journal;
	readonly files: Files;
	readonly clock: Clock;
	/** Returns a keyed hash: see `SecretBox.fingerprint`. */
	readonly fingerprint: (text: string) => string;
	readonly log: Logger;
	readonly contexts: Contexts;
	readonly settings: ChooseSettings;
	readonly systemPrompt: SystemPromptOf;
	/** Returns a random number from 0 up to, but not including, 1. Spreads simultaneous retries. */
	readonly random: () => number;
}

const aboveAllPositions = 2 ** 31 - 1;

/**
 * Replaces the transcript of a session with a summary. Returns the summary, and the sizes before and after. Runs that
 * start during the compaction wait for its end. A repeated request returns the stored result. Returns undefined if the
 * transcript has no message after the last summary. A compaction that starts records its end as `compaction.ended`.
 * Throws:
 * - `failed_precondition` if the session has an unfinished run or another active compaction
 * - `cancelled` if the compaction is stopped
 * - other errors, for example of the model After an error, the transcript is unchanged, except if only the write of
 *   `compaction.ended` failed.
 */
export async function compactSession(
	session: Session,
	request: Keyed,
	{ signal }: Stoppable,
	ports: CompactPorts,
): Promise<Compacted | undefined> {
	const { store } = ports.journal;
	const known = await store.read((db) => answerOf<Compacted | null>(db, request, ports));
	if (known) return known.response ?? undefined;
	using work = await beginCompaction(session, ports, signal);
	return await carryOut(work, ports, request);
}

/**
 * Starts a compaction in the background: see `compactSession`. `ended` resolves when the compaction has ended, and
 * never rejects. A repeated request starts nothing and returns a resolved `ended`. Throws `failed_precondition` in the
 * same cases as `compactSession`.
 */
export async function startCompaction(
	session: Session,
	request: Keyed,
	ports: CompactPorts,
): Promise<{ readonly ended: Promise<void> }> {
	const { store } = ports.journal;
	const known = await store.read((db) => answerOf(db, request, ports));
	if (known) return { ended: Promise.resolve() };
	const work = await beginCompaction(session, ports, never);
	try {
		await session.commit(async (tx) => {
			await once(tx, request, ports, async () => "started");
			await noteCompaction(tx, session.id, ports.clock.now());
		});
	} catch (reason) {
		work[Symbol.dispose]();
		throw reason;
	}
	const ended = carryOut(work, ports)
		.then(() => undefined)
		.catch((error: unknown) => {
			const { code } = ParleyError.from(error);
			// Clients see each failure in `compaction.ended`. Only an internal failure is an error for the operator.
			if (code === "internal") work.log.error(compactionTexts.failed, { error });
			else work.log.info(compactionTexts.noSummary, { error });
		})
		.finally(() => work[Symbol.dispose]());
	return { ended };
}

const never = new AbortController().signal;

async function beginCompaction(
	session: Session,
	ports: CompactPorts,
	signal: AbortSignal,
): Promise<LiveCompaction> {
	if (session.live.has(compactionId)) throw busy();
	const work = new LiveCompaction(session, ports.log, signal);
	try {
		if (await hasOpenRun(ports.journal.store, session.id)) throw busy();
		return work;
	} catch (reason) {
		work[Symbol.dispose]();
		throw reason;
	}
}

async function carryOut(
	work: LiveCompaction,
	ports: CompactPorts,
	request?: Keyed,
): Promise<Compacted | undefined> {
	const { session } = work;
	try {
		await work.alone;
		const compacted = await compact(session, work, ports);
		const { tokensBefore = 0, tokensAfter = 0 } = compacted ?? {};
		const status = compacted ? ("compacted" as const) : ("unchanged" as const);
		await session.commit(async (tx, record) => {
			await record({ type: "compaction.ended", status, tokensBefore, tokensAfter, error: "" });
			await forgetCompaction(tx, session.id);
			if (request?.key !== undefined) await once(tx, request, ports, async () => compacted ?? null);
		});
		return compacted;
	} catch (cause) {
		const isStopped = work.signal.aborted;
		const error = isStopped ? "" : session.redactor.redact(ParleyError.from(cause).message);
		await recordFailure(work, { status: isStopped ? "cancelled" : "failed", error });
		if (isStopped) throw new ParleyError("cancelled", { code: "cancelled", cause });
		throw cause;
	}
}

async function recordFailure(
	{ session, log }: LiveCompaction,
	end: { readonly status: "cancelled" | "failed"; readonly error: string },
): Promise<void> {
	try {
		await session.commit(async (tx, record) => {
			await record({ type: "compaction.ended", ...end, tokensBefore: 0, tokensAfter: 0 });
			await forgetCompaction(tx, session.id);
		});
	} catch (error) {
		// The caller throws the original error, so this error is only logged.
		log.warn(compactionTexts.notRecorded, { error });
	}
}

async function compact(
	session: Session,
	{ signal, log }: LiveCompaction,
	ports: CompactPorts,
): Promise<Compacted | undefined> {
	signal.throwIfAborted();
	const transcript = session.history ?? (await readHistory(ports, session.id, aboveAllPositions));
	if (transcript.length === 0) return undefined;
	const settings = await ports.settings(session);
	const { model, names, descriptions: tools, reasoning, sampling } = settings;
	const limits = modelLimits(settings, names[0], ports.table);
	const parts = {
		model: names[0],
		system: await systemFor({ session, settings, systemPrompt: ports.systemPrompt }),
		tools,
		...defined({ reasoning }),
		sampling: { ...sampling, maxTokens: limits.maxOutput },
	};
	const { contexts, journal } = ports;
	const asker = { id: "", session, contexts, journal, log, signal, settings: { model, ...limits } };
	const write = writerFor({ ...ports, session, signal }, settings, ports.random);
	const compacted = await compactNow(asker, parts, transcript, { write });
	if (compacted) {
		const { tokensBefore, tokensAfter } = compacted;
		log.info(compactionTexts.compacted, { tokensBefore, tokensAfter });
	}
	return compacted;
}

/**
 * Returns a function that requests a text from the model. The function retries failed model calls as a run does, and
 * records the cost of each model call. The function throws if a budget is exhausted, no attempt is left, or the reply
 * is unusable.
 */
function writerFor(caller: SessionCaller, { model, names }: RunSettings, random: () => number): WriteText {
	const { session, signal, clock } = caller;
	return async (text) => {
		const tries = new Tries(names, random);
		for (let name = names[0]; ; ) {
			await requireBudget(caller, model, name);
			const attempt = await callForSession(caller, model, { ...text, model: name, tools: [] }, "reply");
			await session.commit((tx, record) => recordSessionCall(caller, attempt, { tx, record }));
			signal.throwIfAborted();
			const { content, failure } = attempt.reply;
			if (!failure) {
				// An unusable reply ends the compaction. Only failed calls are retried.
				const useless = withoutText(attempt.reply, "a summary");
				if (useless) throw useless;
				return textOf(content);
			}
			const next = tries.after(failure);
			if (!next) throw failure;
			if (next.waitMs > 0) await delay(clock, next.waitMs, signal);
			name = next.model;
		}
	};
}

async function hasOpenRun(store: Store<Tables>, sessionId: string): Promise<boolean> {
	const open = await store.read((db) =>
		db
			.selectFrom("runs")
			.select("id")
			.where("session_id", "=", sessionId)
			.where("state", "<>", "ended")
			.limit(1)
			.executeTakeFirst(),
	);
	return open !== undefined;
}

function busy(): ParleyError {
	const message = compactionTexts.busy;
	return new ParleyError(message, { code: "failed_precondition" });
}

/**
 * A compaction in progress. Later runs of the session wait for the end of the compaction. A stop of the gateway cancels
 * the compaction.
 */
class LiveCompaction implements LiveRun, Disposable {
	readonly id = compactionId;
	/** Empty, because a compaction makes no tool calls. */
	readonly policyVersion = "";
	readonly log: Logger;
	readonly waiting = false;
	readonly workedMs = 0;
	readonly changes = new Map<string, never>();
	readonly signal: AbortSignal;
	/** Resolves when earlier work of the session has ended. */
	readonly alone: Promise<unknown>;
	readonly session: Session;
	readonly #stop = new AbortController();
	readonly #ended = Promise.withResolvers<void>();

	constructor(session: Session, log: Logger, signal: AbortSignal) {
		this.session = session;
		this.log = session.redactor.guard(log.child({ sessionId: session.id }));
		this.signal = AbortSignal.any([signal, this.#stop.signal]);
		this.alone = Promise.all([...session.live.values()].map(({ ended }) => ended));
		session.begin(this);
	}

	get ended(): Promise<void> {
		return this.#ended.promise;
	}

	cancel(): void {
		this.#stop.abort();
	}

	park(): void {
		this.#stop.abort();
	}

	[Symbol.dispose](): void {
		this.session.live.delete(this.id);
		this.#ended.resolve();
	}
}
