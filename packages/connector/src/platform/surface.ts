import { type ErrorCode, ParleyError } from "@parley/base";
import type { Lane } from "./lane.ts";

/** A rate limit of the platform: requests in `scope` must wait. */
export interface RateLimit {
	readonly scope: string;
	readonly retryAfterMs: number;
}

export interface Receipt {
	/** Id of the post in the form of the surface; later edits get it as `target`. */
	readonly remote: string;
	/** Rate limits that this request has exhausted. */
	readonly limits?: readonly RateLimit[];
	/** The ways of a notice that reached no person, with the platform's reasons, for operators. */
	readonly unreached?: string;
}

/** One post or edit for the surface. */
export interface OutboxRow {
	readonly id: string;
	/** The same for all attempts of a row, and unique: 24 characters of base64url, for a nonce or metadata. */
	readonly nonce: string;
	readonly conversation: string;
	readonly lane: Lane;
	readonly card?: string;
	/** The post to edit; absent for a new post. */
	readonly target?: string;
	readonly payload: unknown;
	/** Time of the event, in milliseconds since the epoch. Its post cannot be older. */
	readonly at: number;
	/** From 1, the same for a repeat within `dedupeWindowMs`; 0 for the lookup of a row that this database never sent. */
	readonly attempt: number;
}

/** Properties of a request that decide its rate limits. */
export interface Request {
	readonly conversation: string;
	readonly lane: Lane | "typing";
	readonly edits: boolean;
}

/** A platform for the outbox. No method retries. */
export interface Surface {
	/** Makes one request. Rejects with a `DeliveryError`; any other error is treated as `unknown`. */
	send(row: OutboxRow): Promise<Receipt>;
	/**
	 * Searches the post of a row by its nonce or metadata, and sends nothing. Returns undefined if it does not exist.
	 * Rejects with `unknown` for a temporary failure of the search, and with `rejected` for a permanent one.
	 */
	find(row: OutboxRow): Promise<Receipt | undefined>;
	/**
	 * Milliseconds from the start of the first request of a row in which a repeat may start, because the platform itself
	 * refuses a second post; 0 if it does not. A repeat that starts in time may arrive some seconds later.
	 */
	dedupeWindowMs(row: OutboxRow): number;
	/** Shows the typing indicator for the platform's usual time, with the current step if the platform supports that. */
	typing(conversation: string, doing?: string): Promise<void>;
	/**
	 * Shows that the run of a conversation waits for a person. Called repeatedly while it waits. `typing` and the last post of
	 * the run end it. Absent if the platform has no such indicator.
	 */
	suspended?(conversation: string): Promise<void>;
	/** Known rate limit scopes of a request. */
	scopes(request: Request): readonly string[];
}

/**
 * Why a request failed. `rejected`: refused permanently. `gone`: its target no longer exists. `closed`: refused until a person
 * opens the thread or channel again. `rate-limited`: refused temporarily. `unknown`: it may have been carried out or not.
 */
export type DeliveryFailure = "rejected" | "gone" | "closed" | "rate-limited" | "unknown";

const codes: Readonly<Record<DeliveryFailure, ErrorCode>> = {
	rejected: "failed_precondition",
	gone: "not_found",
	closed: "failed_precondition",
	"rate-limited": "resource_exhausted",
	unknown: "unavailable",
};

/** Error of a surface. The message has the platform's reason, for operators. */
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

	/** Whether the platform has refused the request, and a repetition would not help now. */
	get isRefusal(): boolean {
		return this.kind !== "rate-limited" && this.kind !== "unknown";
	}

	/** Converts any caught value: an unclassified error may have happened after the request reached the platform. */
	static override from(reason: unknown): DeliveryError {
		if (reason instanceof DeliveryError) return reason;
		const { message } = ParleyError.from(reason);
		return new DeliveryError(message, { kind: "unknown", cause: reason });
	}
}
