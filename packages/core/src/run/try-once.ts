import { contextAfter, observeUsage } from "../context/fit-request.ts";
import type { ModelRequest } from "../model.ts";
import { ModelError } from "../model-error.ts";
import { normaliseCall } from "../normalise-call.ts";
import type { Attempt } from "./attempt.ts";
import { Fold, type Reply } from "./fold.ts";
import { reasonOf } from "./log-event.ts";
import { failureOf } from "./model-failure.ts";
import type { Run } from "./run.ts";
import type { Speech } from "./speaking.ts";

/** Calls the model once. A failure is part of the reply; never rejects but for a failpoint. */
export async function tryOnce(run: Run, request: ModelRequest, speech: Speech): Promise<Attempt> {
	const { clock, failpoints } = run.session.deps;
	const { model } = run.settings;
	const facts = { model: request.model, provider: model.provider, messages: request.messages.length };
	const { auxiliary } = speech;
	run.session.outlet.pass({
		type: "model.calling",
		runId: run.id,
		...facts,
		...(auxiliary && { auxiliary }),
	});
	const startedAt = clock.monotonic();
	let requestId: string | undefined;
	let firstMs: number | undefined;
	const done = (reply: Reply): Attempt => {
		speech.end(reply, auxiliary || reply.failure ? undefined : contextAfter(run, request, reply));
		const attempt = { ...facts, reply, durationMs: clock.monotonic() - startedAt };
		logAttempt(run, attempt, { requestId, firstMs });
		return attempt;
	};
	const fold = new Fold({
		speech,
		redaction: run.session.redactor.into("reply").stream(),
		normalise: (call) => normaliseCall(run.settings.tools, call),
	});
	try {
		await failpoints.reach("model-call");
		const answered = (id: string): void => {
			requestId = id;
		};
		for await (const event of model.stream(request, run.signal, answered)) {
			if (event.type !== "started") firstMs ??= clock.monotonic() - startedAt;
			fold.take(event);
			const reached = event.type === "text" && failpoints.reach("model-streaming");
			// Nothing is awaited for nothing: this happens with every token.
			if (reached instanceof Promise) await reached;
		}
		const reply = fold.reply(fold.complete ? undefined : brokeOff());
		if (!reply.failure) {
			run.deps.health.answered(model, request.model);
			observeUsage(run, request, reply.usage);
		}
		return done(reply);
	} catch (reason) {
		return done(fold.reply(failureOf(run, request.model, reason)));
	}
}

/** What the call took; `firstMs` is how long the first sign of a reply took. */
function logAttempt(
	{ log }: Run,
	{ model, provider, messages, durationMs, reply }: Attempt,
	{ requestId, firstMs }: { readonly requestId: string | undefined; readonly firstMs: number | undefined },
): void {
	const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = reply.usage;
	log.info("model called", {
		...{ provider, model: reply.model || model, messages, durationMs: Math.round(durationMs) },
		...(firstMs !== undefined && { firstMs: Math.round(firstMs) }),
		...(requestId !== undefined && { requestId }),
		...{
			inputTokens,
			outputTokens,
			cacheReadTokens,
			cacheWriteTokens,
			...reasonOf(reply.failure?.message ?? ""),
		},
	});
}

function brokeOff(): ModelError {
	return new ModelError("the model's reply broke off", { fault: "interrupted" });
}
