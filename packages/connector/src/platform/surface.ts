import { type ErrorCode, ParleyError } from "@parley/base";
import type { Lane } from "./lane.ts";

/** A rate limit of the platform. Requests in `scope` must wait. */
export interface RateLimit {
	readonly scope: string;
	readonly retryAfterMs: number;
}

export interface Receipt {
	/** Id of the post, in a format that the surface defines. Later edits get this id as `target`. */
	readonly remote: string;
	/** Rate limits that this request has exhausted. */
	readonly limits?: readonly RateLimit[];
	/** Ways in which a notice could not be posted, with the platform's reasons, for operators. */
	readonly unreached?: string;
}

/** One request for the surface, for example a post or an edit. */
export interface OutboxRow {
	readonly id: string;
	/**
	 * Id that is equal for all attempts of a row, and for rows with the same `key`. It has 24 base64url characters,
	 * and is used as a nonce or in metadata.
	 */
	readonly nonce: string;
	readonly conversation: string;
	readonly lane: Lane;
	readonly card?: string;
	/** Id of the post to edit; absent for a new post. */
	readonly target?: string;
	readonly payload: unknown;
	/** Time of the event, in milliseconds since the epoch. A post that this row creates cannot be older. */
	readonly at: number;
	/**
	 * Number of the attempt, from 1. A repeat within `dedupeWindowMs` has the number of the repeated request. The
	 * number is 0 when a row that this database never sent is looked up.
	 */
	readonly attempt: number;
}

/** Properties of a request on which its rate limits depend. */
export interface Request {
	readonly conversation: string;
	readonly lane: Lane | "typing";
	readonly edits: boolean;
}

/** Interface of a platform for the outbox. No method retries a request. */
export interface Surface {
	/**
	 * Sends the request of a row once, for example a post or an edit. Rejects with a `DeliveryError`; any other error is
	 * treated as `unknown`.
	 */
	send(row: OutboxRow): Promise<Receipt>;
	/**
	 * Searches for the post of a row, for example by its nonce or metadata. Resolves with undefined if no post is found.
	 * Rejects with `unknown` or `rate-limited` if the search fails temporarily, and with another kind if it fails
	 * permanently.
	 */
	find(row: OutboxRow): Promise<Receipt | undefined>;
	/**
	 * Returns the time in milliseconds after the start of a row's first request within which a repeat may start.
	 * During this time, the platform refuses duplicates. Returns 0 if the platform accepts duplicates. A repeat
	 * that starts in time may arrive some seconds later.
	 */
	dedupeWindowMs(row: OutboxRow): number;
	/** Shows the typing indicator for the platform's usual time, with the current step if the platform supports that. */
	typing(conversation: string, doing?: string): Promise<void>;
	/**
	 * Shows that the run of a conversation waits for a person. The connector calls `suspended` repeatedly while the
	 * run waits. A call of `typing` and the last post of the run end the indicator. Absent if the platform has no
	 * indicator for a waiting run.
	 */
	suspended?(conversation: string): Promise<void>;
	/** Returns the known scopes of rate limits for a request. */
	scopes(request: Request): readonly string[];
}

/**
 * Kind of a failed request.
 * - `rejected`: refused permanently.
 * - `gone`: the target no longer exists.
 * - `closed`: refused until a person opens the thread or channel again.
 * - `rate-limited`: refused temporarily.
 * - `unknown`: the platform may have carried out the request.
 */
export type DeliveryFailure = "rejected" | "gone" | "closed" | "rate-limited" | "unknown";

const codes: Readonly<Record<DeliveryFailure, ErrorCode>> = {
	rejected: "failed_precondition",
	gone: "not_found",
	closed: "failed_precondition",
	"rate-limited": "resource_exhausted",
	unknown: "unavailable",
};

/** Error of a surface. The message contains the platform's reason, for operators. */
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

	/** Whether the platform refused the request, so that an immediate repeat would also be refused. */
	get isRefusal(): boolean {
		return this.kind !== "rate-limited" && this.kind !== "unknown";
	}

	/** Converts any caught value. An unclassified error becomes `unknown`, because the request may have reached the platform. */
	static override from(reason: unknown): DeliveryError {
		if (reason instanceof DeliveryError) return reason;
		const { message } = ParleyError.from(reason);
		return new DeliveryError(message, { kind: "unknown", cause: reason });
	}
}
