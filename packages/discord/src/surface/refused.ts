import { DeliveryError, type DeliveryFailure, type RateLimit } from "@parley/connector";
import * as z from "zod";
import { deliveryTexts } from "../texts/delivery.ts";
import type { DiscordResponse } from "../vocabulary/discord-port.ts";
import { errorCodes } from "../vocabulary/limits.ts";
import { everything } from "./rate-limits.ts";

/**
 * Error response: topics/opcodes-and-status-codes. For status 429:
 * topics/rate-limits#exceeding-a-rate-limit-rate-limit-response-structure
 */
const Fault = z.object({
	code: z.number().optional().catch(undefined),
	message: z.string().optional().catch(undefined),
	retry_after: z.number().optional().catch(undefined),
	global: z.boolean().optional().catch(undefined),
});
type Fault = z.output<typeof Fault>;

/**
 * Assumed duration in milliseconds of the rate limit for edits of old messages. Discord does not report this
 * duration.
 */
const oldEditsMs = 60_000;

const ofTheContents: ReadonlySet<number> = new Set([
	errorCodes.invalidForm,
	errorCodes.emptyMessage,
	errorCodes.explicitContent,
	errorCodes.blockedByAutoMod,
	errorCodes.titleBlockedByAutoMod,
	errorCodes.harmfulLinks,
]);

/** Error for an unsuccessful response of Discord. */
export class Refused extends DeliveryError {
	/** Discord's JSON error code. Undefined for a response without an error code. */
	readonly fault: number | undefined;
	readonly status: number;

	constructor(
		message: string,
		options: {
			readonly kind: DeliveryFailure;
			readonly limit?: RateLimit;
			readonly status: number;
			readonly fault?: number | undefined;
			readonly cause?: unknown;
		},
	) {
		super(message, options);
		this.fault = options.fault;
		this.status = options.status;
	}

	/** Whether the request is too large. A proxy may return only the status without an error code. */
	get isTooLarge(): boolean {
		return this.status === 413 || this.fault === errorCodes.requestTooLarge;
	}

	/** Whether Discord could accept the message with other contents. */
	get isAboutContents(): boolean {
		return this.isTooLarge || (this.fault !== undefined && ofTheContents.has(this.fault));
	}
}

/** Returns the error for an unsuccessful response. `bucket` is the name of the request's rate limit. */
export function refusalOf(response: DiscordResponse, bucket: string): Refused {
	const fault = Fault.safeParse(response.body).data ?? {};
	const { status } = response;
	const { code, message } = fault;
	const refusal = deliveryTexts.answered({ status, message, code });
	const kind = kindOf(response.status, code);
	if (kind !== "rate-limited") return new Refused(refusal, { kind, status, fault: code });
	return new Refused(refusal, { kind, status, fault: code, limit: limitOf(response, fault, bucket) });
}

function kindOf(status: number, code: number | undefined): DeliveryFailure {
	if (status === 429 || code === errorCodes.tooManyOldEdits) return "rate-limited";
	// After status 401, the request is sent again when the operator has set another token, so that nothing is lost.
	if (status === 401 || status === 408 || status >= 500) return "unknown";
	if (code === errorCodes.lockedThread || code === errorCodes.archivedThread) return "closed";
	return status === 404 ? "gone" : "rejected";
}

function limitOf({ headers }: DiscordResponse, fault: Fault, bucket: string): RateLimit {
	const seconds = fault.retry_after ?? Number(headers["retry-after"] ?? Number.NaN);
	const known = Number.isFinite(seconds) && seconds > 0;
	const unknownMs = fault.code === errorCodes.tooManyOldEdits ? oldEditsMs : 1000;
	// An error body without `message` comes from a proxy in front of Discord. The proxy limits all requests.
	const isGlobal =
		fault.global === true || headers["x-ratelimit-scope"] === "global" || fault.message === undefined;
	return {
		scope: isGlobal ? everything : bucket,
		retryAfterMs: known ? Math.ceil(seconds * 1000) : unknownMs,
	};
}
