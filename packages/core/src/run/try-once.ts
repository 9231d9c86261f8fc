import { observeUsage } from "../context/fit-request.ts";
import type { ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";
import type { Attempt } from "./attempt.ts";
import { Fold, type Reply } from "./fold.ts";
import { failureOf, succeeded } from "./model-failure.ts";
import type { Run } from "./run.ts";
import type { Speech } from "./speaking.ts";

/** Calls the model once. A failure is part of the reply; never rejects but for a failpoint. */
export async function tryOnce(run: Run, request: ModelRequest, speech: Speech): Promise<Attempt> {
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

function brokeOff(): ModelError {
	return new ModelError("the model's reply broke off", { fault: "interrupted" });
}
