import { ParleyError } from "@parley/base";
import { ModelError } from "../model-error.ts";
import type { TextRedactor } from "../session/session-redactor.ts";
import type { Run } from "./run.ts";

/**
 * What people may be told of a call of `asked` that failed: no secret, also where the provider repeats one. The operator
 * learns of a key that is not taken once, and again only after it was.
 */
export function failureOf(run: Run, asked: string, reason: unknown): ParleyError {
	const error = withoutSecrets(run.session.redactor.into("error"), ParleyError.from(reason));
	const { log } = run;
	const { model } = run.settings;
	if (error.code === "internal") log.error("a model call failed", { error: reason });
	if (!(error instanceof ModelError)) return error;
	const changed = run.deps.health.failed(model, asked, error);
	if (changed && error.fault === "unauthenticated") {
		log.warn("the provider refuses the key", { provider: model.provider, reason: error.message });
	}
	return error;
}

/** The same error, without a secret in what it says. */
export function withoutSecrets(redactor: Pick<TextRedactor, "redact">, error: ParleyError): ParleyError {
	const message = redactor.redact(error.message);
	if (message === error.message) return error;
	if (!(error instanceof ModelError)) return new ParleyError(message, { code: error.code, cause: error });
	const { fault, retryAfterMs, refusesContent } = error;
	return new ModelError(message, { fault, retryAfterMs, refusesContent, cause: error });
}
