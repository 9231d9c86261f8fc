import { ParleyError } from "@parley/base";
import type { Model } from "../model.ts";
import { ModelError } from "../model-error.ts";
import type { Run } from "./run.ts";

/** Models whose provider does not take the key: the operator was told, and is told again only after it did. */
const refused = new WeakSet<Model>();

/** What people may be told of a model call that failed: no secret, also where the provider repeats one. */
export function failureOf(run: Run, reason: unknown): ParleyError {
	const error = withoutSecrets(run, ParleyError.from(reason));
	const { log } = run.session.deps;
	const { model } = run.settings;
	if (error.code === "internal") log.error("a model call failed", { runId: run.id, error: reason });
	if (error instanceof ModelError && error.fault === "unauthenticated" && !refused.has(model)) {
		refused.add(model);
		log.warn("the provider refuses the key", { provider: model.provider, reason: error.message });
	}
	return error;
}

/** A call of the model has come to its end. */
export function succeeded({ settings }: Run): void {
	refused.delete(settings.model);
}

function withoutSecrets(run: Run, error: ParleyError): ParleyError {
	const message = run.deps.redactor.redact(error.message);
	if (message === error.message) return error;
	if (!(error instanceof ModelError)) return new ParleyError(message, { code: error.code, cause: error });
	const { fault, retryAfterMs } = error;
	return new ModelError(message, { fault, retryAfterMs, cause: error });
}
