import { defined, type ErrorCode, ParleyError } from "@parley/base";
import { callRefusalTexts } from "./texts.ts";

/**
 * Kind of a model failure. It determines whether and when the call is retried.
 * - rate-limited: too many requests.
 * - overloaded: the provider cannot answer now.
 * - interrupted: the reply was incomplete, damaged or not usable.
 * - timeout: the reply took too long.
 * - unreachable: the connection failed, for example because of DNS or TLS.
 * - rejected: a failure that a retry does not correct, for example an invalid request or an unknown model.
 * - unauthenticated: the key is missing or was refused.
 */
export type ModelFault =
	| "rate-limited"
	| "overloaded"
	| "interrupted"
	| "timeout"
	| "unreachable"
	| "rejected"
	| "unauthenticated";

const codes: Readonly<Record<ModelFault, ErrorCode>> = {
	"rate-limited": "resource_exhausted",
	overloaded: "unavailable",
	interrupted: "unavailable",
	timeout: "deadline_exceeded",
	unreachable: "unavailable",
	rejected: "invalid_argument",
	unauthenticated: "unauthenticated",
};

interface ModelErrorFacts {
	readonly fault: ModelFault;
	readonly retryAfterMs?: number | undefined;
	readonly refusesContent?: boolean;
	readonly cause?: unknown;
}

/**
 * Failure of a model call. The message may be shown to people. It contains at most a short explanation by the provider, never
 * a page or a response body.
 */
export class ModelError extends ParleyError {
	readonly fault: ModelFault;
	/** Milliseconds to wait before a retry, as the provider requested. Undefined if the provider sent no valid value. */
	readonly retryAfterMs: number | undefined;
	/** Whether the provider refused the content of the request, not the caller, the model or the URL. */
	readonly refusesContent: boolean;

	constructor(message: string, { fault, retryAfterMs, refusesContent = false, cause }: ModelErrorFacts) {
		super(message, { code: codes[fault], ...defined({ cause }) });
		this.fault = fault;
		this.retryAfterMs = retryAfterMs;
		this.refusesContent = refusesContent;
	}
}

/** Maximum tool calls that the gateway runs for one reply. A provider that sends hundreds is faulty. */
export const maxCalls = 8;

/** Result for each tool call after the first `maxCalls` calls of a reply. The text asks the model to repeat the call. */
export const tooManyCalls = callRefusalTexts.onlyFirstCalls(maxCalls);
