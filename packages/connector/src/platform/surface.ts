import { type ErrorCode, ParleyError } from "@parley/base";
import type { Lane } from "./lane.ts";

/** A bucket of the platform that is empty, and for how long: what counts towards `scope` waits. */
export interface RateLimit {
	readonly scope: string;
	readonly retryAfterMs: number;
}

/** What the platform said when it took a post. */
export interface Receipt {
	/** The platform's id of the post, as the surface writes it; given back as `target` of later edits. */
	readonly remote: string;
	/** Buckets that this request has emptied, so that nobody runs into them. */
	readonly limits?: readonly RateLimit[];
}

/** One post or edit, as the surface gets it. */
export interface OutboxRow {
	readonly id: string;
	/** The same for each attempt, other for each row: 24 characters of base64url, for a nonce or metadata. */
	readonly nonce: string;
	readonly conversation: string;
	readonly lane: Lane;
	readonly card?: string;
	/** The post to edit; absent where one is to be created. */
	readonly target?: string;
	readonly payload: unknown;
	/** When what it tells happened, in milliseconds since the epoch: a post of it cannot be older. */
	readonly at: number;
	/** From 1, the same for a repeat within `dedupeWindowMs`; 0 for the lookup of a row that this database never sent. */
	readonly attempt: number;
}

/** What decides which buckets a request counts towards. */
export interface Request {
	readonly conversation: string;
	readonly lane: Lane | "typing";
	readonly edits: boolean;
}

/** A platform, as the outbox needs it. Nothing here retries by itself. */
export interface Surface {
	/** Makes one request. Rejects with a `DeliveryError`; whatever else is thrown counts as `unknown`. */
	send(row: OutboxRow): Promise<Receipt>;
	/**
	 * Looks for the post of a row by its nonce or metadata and sends nothing. Undefined: it is not there. Rejects with
	 * `unknown` where nobody can say at the moment, and with `rejected` where nobody will ever be able to.
	 */
	find(row: OutboxRow): Promise<Receipt | undefined>;
	/**
	 * How long after the start of the first request for a row a repeat may start, in milliseconds, because the platform
	 * itself refuses a second post; 0 if it does not. A repeat that starts in time may arrive some seconds later.
	 */
	dedupeWindowMs(row: OutboxRow): number;
	/** Shows that the agent is at work, for as long as the platform shows it, and what it does if the platform can. */
	typing(conversation: string, doing?: string): Promise<void>;
	/** The buckets that a request counts towards, as they are known. */
	scopes(request: Request): readonly string[];
}

/**
 * Why a request failed. `rejected`: refused for good. `gone`: what it belongs to is no more. `rate-limited`: refused
 * for now. `unknown`: it may have been carried out or not.
 */
export type DeliveryFailure = "rejected" | "gone" | "rate-limited" | "unknown";

const codes: Readonly<Record<DeliveryFailure, ErrorCode>> = {
	rejected: "failed_precondition",
	gone: "not_found",
	"rate-limited": "resource_exhausted",
	unknown: "unavailable",
};

/** What a surface throws. The message is for operators: it says what the platform said. */
export class DeliveryError extends ParleyError {
	readonly kind: DeliveryFailure;
	readonly limit: RateLimit | undefined;

	constructor(
		message: string,
		options: { readonly kind: DeliveryFailure; readonly limit?: RateLimit; readonly cause?: unknown },
	) {
		super(message, { code: codes[options.kind], cause: options.cause });
		this.kind = options.kind;
		this.limit = options.limit;
	}

	/** Turns anything caught into a `DeliveryError`: what a surface did not classify may have reached the platform. */
	static override from(reason: unknown): DeliveryError {
		if (reason instanceof DeliveryError) return reason;
		const { message } = ParleyError.from(reason);
		return new DeliveryError(message, { kind: "unknown", cause: reason });
	}
}
