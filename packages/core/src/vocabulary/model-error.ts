import { defined, type ErrorCode, ParleyError } from "@parley/base";

/**
 * What went wrong between us and a model, as far as it decides what to do next.
 * rate-limited: asked too often. overloaded: the provider cannot answer now. interrupted: a reply broke off, or was
 * damaged on its way. timeout: it came too slowly. unreachable: no connection (name, TLS, refused). rejected: the
 * request itself is at fault, and the same one would be refused again. unauthenticated: the key is.
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
 * Why a model gave no whole reply. The message may be shown to people: of what a provider says it holds its own short
 * explanation at most, never a page or a body as it came.
 */
export class ModelError extends ParleyError {
	readonly fault: ModelFault;
	/** How long the provider asked us to wait, in milliseconds; undefined where it did not say, or not sensibly. */
	readonly retryAfterMs: number | undefined;
	/** Whether what the request holds was refused, not who asks, for which model or on which way. */
	readonly refusesContent: boolean;

	constructor(message: string, { fault, retryAfterMs, refusesContent = false, cause }: ModelErrorFacts) {
		super(message, { code: codes[fault], ...defined({ cause }) });
		this.fault = fault;
		this.retryAfterMs = retryAfterMs;
		this.refusesContent = refusesContent;
	}
}

/** So many calls of one reply may run; a provider that sends hundreds is out of order. */
export const mostCalls = 8;

/** What the model is told of the others: nothing is wrong with them, and to repeat them is no mistake. */
export const tooManyCalls = `only the first ${mostCalls} calls of a reply are carried out: repeat this one`;
