import { delay, ParleyError } from "@parley/base";
import type { ModelRequest } from "../model.ts";
import type { ModelError } from "../model-error.ts";
import { type Attempt, recordAttempt } from "./attempt.ts";
import type { Reply } from "./fold.ts";
import { type NextTry, Tries } from "./next-try.ts";
import { refusalOf } from "./refusal.ts";
import type { Run } from "./run.ts";
import type { Speech } from "./speaking.ts";
import { enterSteers } from "./steers.ts";
import { tryOnce } from "./try-once.ts";

/** The outcome of a model call with all its tries: the last one is not recorded yet. */
export interface Answer extends Attempt {
	/** The model that was asked. */
	readonly asked: string;
}

/** No further try was made: all that were are recorded. */
export interface Stopped {
	readonly stopped: ParleyError;
}

export interface Calling {
	/** Who is asked, and who then. */
	readonly names: readonly string[];
	readonly speech: Speech;
	/** Whether the request holds what people say to the run: then a further try holds what they said meanwhile. */
	readonly steerable: boolean;
	readonly requestFor: (model: string) => Promise<ModelRequest>;
	/** Returns the failure of a complete reply that is of no use. Every complete reply is of use if absent. */
	readonly useless?: (reply: Reply) => ModelError | undefined;
	/** Maximum calls, of all models together. */
	readonly most?: number;
}

/**
 * Calls a model until it answers, or makes no sense to ask any more. Tries that fail in passing are recorded, with
 * what they cost, and count against the limits of the run and the budgets like any other call.
 */
export async function withRetries(run: Run, calling: Calling): Promise<Answer | Stopped> {
	const { names, speech, steerable, requestFor, most, useless } = calling;
	const tries = new Tries(names, run.deps.random, most);
	let request = await requestFor(names[0] ?? "");
	for (;;) {
		const answer = { ...(await tryOnce(run, request, speech)), asked: request.model };
		const failure = answer.reply.failure ?? useless?.(answer.reply);
		const next = run.signal.aborted ? undefined : tries.after(failure);
		if (!next) return answer;
		await run.commit((tx, record, step) => recordAttempt(run, answer, { tx, record, step }));
		const refused = await refusalOf(run, next.model);
		if (refused !== undefined) return stopped(refused, "resource_exhausted");
		await tell(run, next);
		if (!(await waited(run, next))) return stopped("the run was stopped", "cancelled");
		run.asking = next.model;
		const steered = steerable && (await enterSteers(run));
		if (steered || next.model !== request.model) request = await requestFor(next.model);
	}
}

function stopped(message: string, code: ParleyError["code"]): Stopped {
	return { stopped: new ParleyError(message, { code }) };
}

function tell(run: Run, { reason, waitMs: inMs, attempt, model }: NextTry): Promise<void> {
	return run.commit(async (_tx, record) => {
		await record({ type: "run.retrying", runId: run.id, reason, inMs, attempt, model });
	});
}

/** False where the run was stopped first. To wait is no work, and a stop of the gateway ends it at once. */
async function waited(run: Run, { waitMs }: NextTry): Promise<boolean> {
	run.working.stop();
	try {
		if (waitMs > 0) await delay(run.session.deps.clock, waitMs, run.signal);
		return !run.signal.aborted;
	} catch (reason) {
		if (run.signal.aborted) return false;
		throw reason;
	} finally {
		run.working.start();
	}
}
