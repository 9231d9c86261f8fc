import { delay, ParleyError } from "@parley/base";
import { fitRequest, observeUsage } from "../context/fit-request.ts";
import type { ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { noUsage } from "../usage/usage.ts";
import { type Attempt, recordAttempt } from "./attempt.ts";
import { Fold, type FoldDeps, type Reply } from "./fold.ts";
import { failureOf, succeeded } from "./model-failure.ts";
import { type NextTry, Tries } from "./next-try.ts";
import type { Run } from "./run.ts";
import { messagesOf } from "./transcript.ts";

/** The outcome of a model call with all its tries: the last one is not recorded yet. */
export interface Answer extends Attempt {
	/** The model that was asked. */
	readonly asked: string;
}

/**
 * Calls the model for the run's next reply and lets its text out while it comes. Tries that fail in passing are
 * recorded and made again, in the end by the fallbacks. A failure is part of the answer; this throws only where the
 * request cannot be put together, or the record cannot be written.
 */
export async function callModel(run: Run): Promise<Answer> {
	const parts = {
		system: await run.deps.systemPrompt(run.session, run.settings.instructions),
		tools: run.settings.descriptions,
	};
	const { names } = run.settings;
	return withRetries(run, { names, speech: speaking(run) }, (model) => {
		const own = { ordinal: run.row.ordinal, messages: messagesOf(run.row, run.steps) };
		const request = { model, ...parts, ...samplingOf(run) };
		return fitRequest(run, request, [...run.history, own], (text) => callForText(run, text, model));
	});
}

/**
 * Asks the run's model for a text, such as a summary, which nobody sees while it comes. Counted like every call;
 * throws what made it fail.
 */
async function callForText(
	run: Run,
	request: Omit<ModelRequest, "model" | "tools">,
	first: string,
): Promise<string> {
	const { names } = run.settings;
	// Who is asked for the run's reply has taken over from the models before it.
	const able = names.slice(names.indexOf(first));
	const answer = await withRetries(run, { names: able, speech: silent }, async (model) => ({
		...request,
		model,
		tools: [],
	}));
	await run.commit((tx, record, step) => recordAttempt(run, answer, { tx, record, step }));
	if (answer.reply.failure) throw answer.reply.failure;
	return answer.reply.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

function samplingOf({ settings }: Run): Pick<ModelRequest, "sampling" | "reasoning"> {
	const { sampling, reasoning } = settings;
	return { sampling, ...(reasoning && { reasoning }) };
}

type Speech = Omit<FoldDeps, "redaction"> & { readonly close: () => void };

const silent: Speech = { speak: () => undefined, callId: (id) => id, close: () => undefined };

async function withRetries(
	run: Run,
	{ names, speech }: { readonly names: readonly string[]; readonly speech: Speech },
	requestFor: (model: string) => Promise<ModelRequest>,
): Promise<Answer> {
	const tries = new Tries(names, run.deps.random);
	let request = await requestFor(names[0] ?? "");
	for (;;) {
		const answer = { ...(await tryOnce(run, request, speech)), asked: request.model };
		const next = run.signal.aborted ? undefined : tries.after(answer.reply.failure);
		if (!next) return answer;
		await recordRetry(run, answer, next);
		if (!(await waited(run, next))) return cancelledBefore(answer);
		if (next.model !== request.model) request = await requestFor(next.model);
	}
}

async function tryOnce(run: Run, request: ModelRequest, speech: Speech): Promise<Attempt> {
	const { clock, failpoints } = run.session.deps;
	const { model } = run.settings;
	const facts = { model: request.model, provider: model.provider, messages: request.messages.length };
	run.session.outlet.pass({ type: "model.calling", runId: run.id, ...facts });
	const startedAt = clock.monotonic();
	const done = (reply: Reply): Attempt => ({ ...facts, reply, durationMs: clock.monotonic() - startedAt });
	const fold = new Fold({ ...speech, redaction: run.deps.redactor.stream() });
	try {
		await failpoints.reach("model-call");
		for await (const event of model.stream(request, run.signal)) {
			fold.take(event);
			const reached = event.type === "text" && failpoints.reach("model-streaming");
			// Nothing is awaited for nothing: this happens with every token.
			if (reached instanceof Promise) await reached;
		}
		const reply = fold.reply(fold.complete ? undefined : brokeOff());
		if (!reply.failure) {
			succeeded(run);
			observeUsage(run, request, reply.usage);
		}
		return done(reply);
	} catch (reason) {
		return done(fold.reply(failureOf(run, reason)));
	} finally {
		speech.close();
	}
}

/** What there was of the try is kept, apart from the transcript, and people learn what happens next. */
function recordRetry(run: Run, answer: Answer, next: NextTry): Promise<void> {
	const { reason, waitMs: inMs, attempt, model } = next;
	return run.commit(async (tx, record, step) => {
		await recordAttempt(run, answer, { tx, record, step });
		await record({ type: "run.retrying", runId: run.id, reason, inMs, attempt, model });
	});
}

/** False where the run was stopped first. A long pause is no working time, and a stop of the gateway ends it at once. */
async function waited(run: Run, { waitMs, paused }: NextTry): Promise<boolean> {
	if (paused) run.working.stop();
	try {
		if (waitMs > 0) await delay(run.session.deps.clock, waitMs, run.signal);
		return !run.signal.aborted;
	} catch (reason) {
		if (run.signal.aborted) return false;
		throw reason;
	} finally {
		if (paused) run.working.start();
	}
}

/** The try before was recorded with its retry; this one never began. */
function cancelledBefore(answer: Answer): Answer {
	const failure = new ParleyError("the run was stopped", { code: "cancelled" });
	const reply = { content: [], model: "", stop: undefined, usage: noUsage, failure };
	return { ...answer, reply, durationMs: 0 };
}

function brokeOff(): ModelError {
	return new ModelError("the model's reply broke off", { fault: "interrupted" });
}

/** Pieces of text that leave one by one before the event loop turns; what comes behind them leaves as one. */
const piecesPerTick = 8;

/**
 * Lets the text out as it comes, and keeps call ids unique in the session. A model that speaks faster than the event
 * loop turns does not cost every client a frame a word.
 */
function speaking(run: Run): Speech {
	const { session, id: runId } = run;
	const { ids } = session.deps;
	let open = false;
	let pieces = 0;
	let pending = "";
	const pass = (text: string): void => {
		if (!open) session.outlet.pass({ type: "text.started", runId });
		open = true;
		session.outlet.pass({ type: "text.delta", runId, text });
	};
	const flush = (): void => {
		if (pending !== "") pass(pending);
		pending = "";
		pieces = 0;
	};
	return {
		speak(text) {
			if (pieces === 0) process.nextTick(flush);
			pieces += 1;
			if (pieces <= piecesPerTick) pass(text);
			else pending += text;
		},
		// Approvals and results belong to a call by its id: one that a provider has used before gets another.
		callId(id, soFar) {
			const used = run.usesCallId(id) || soFar.some((block) => block.type === "call" && block.id === id);
			return used || id === "" ? ids.create("call") : id;
		},
		close() {
			flush();
			if (open) session.outlet.pass({ type: "text.ended", runId });
			open = false;
		},
	};
}
