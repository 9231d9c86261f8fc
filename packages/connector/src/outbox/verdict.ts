import { DeliveryError, type Receipt } from "../platform/surface.ts";
import type { DeliveryState } from "../store/tables.ts";
import { postTexts } from "../texts/posts.ts";
import type { OpenRow } from "./open-row.ts";

/**
 * Maximum number of attempts to create a post, without attempts that a rate limit refused. Each further attempt is
 * made only after lookups did not find the post.
 */
export const maxAttempts = 8;

/** Age in milliseconds after which a new post is not sent, and a failed lookup is not repeated, before a person decides. */
export const staleMs = 24 * 3_600_000;

/**
 * Time in milliseconds after which a post can be treated as missing. Until then, the platform may still carry out a
 * request that timed out. After this time, a post is treated as missing if two lookups do not find it. One lookup
 * is enough if this database never sent the post.
 */
export const inboundMs = 15_000;
const lookupIntervalMs = 5000;

const firstWaitMs = 1000;
const maxWaitMs = 5 * 60_000;
const firstRepeatMs = 250;
const maxRepeatMs = 8000;

/**
 * Returns the wait in milliseconds after a failure. The wait doubles from 1 s to 5 min, with a random reduction by up
 * to half.
 */
export function backoff(failures: number, chance: number): number {
	return jittered(Math.min(firstWaitMs * 2 ** (failures - 1), maxWaitMs), chance);
}

/**
 * Returns the wait in milliseconds before a repeat. The wait doubles from 250 ms to 8 s, with a random reduction by
 * up to half.
 */
function repeatWait(repeats: number, chance: number): number {
	return jittered(Math.min(firstRepeatMs * 2 ** repeats, maxRepeatMs), chance);
}

function jittered(ms: number, chance: number): number {
	return ms * (0.5 + chance / 2);
}

export interface NextDelivery {
	readonly to: DeliveryState;
	readonly attempts: number;
	readonly reason: string | null;
	readonly remote: string | null;
	readonly waitMs: number;
}

/** Results of the lookups for a row that may be posted. Kept only in memory. */
export interface Doubt {
	/**
	 * Monotonic time of the first step after the unclear result. For a row that this database never sent, the time
	 * at which this process started.
	 */
	readonly since: number;
	/** Number of lookups that did not find the post after the time in which it could still arrive. */
	absences: number;
	/** Number of consecutive failed lookups. */
	failures: number;
}

/** Repeats of a request with an unclear result, while the platform refuses duplicates. Kept only in memory. */
export interface Repeats {
	/** Monotonic time until which the platform refuses duplicates. */
	until: number;
	count: number;
}

/**
 * Returns the remaining repeats after a restart, calculated from the wall clock. None remain if the time of the
 * request is in the future or unknown. After a change of the clock, the time is unknown, because `checkSendTimes`
 * deletes it.
 */
export function repeatsLeft(
	sentAt: number | null,
	windowMs: number,
	{ now, monotonic }: { readonly now: number; readonly monotonic: number },
): Repeats {
	const passed = sentAt === null ? -1 : now - sentAt;
	return { until: passed < 0 ? monotonic : monotonic + windowMs - passed, count: 0 };
}

/**
 * Returns the next state of a row after the response to the first request of an attempt. `repeats` are the allowed
 * repeats.
 */
export function judgeSend(
	row: OpenRow,
	repeats: Repeats,
	outcome: Receipt | DeliveryError,
	{ monotonic, chance }: Moment,
): NextDelivery {
	const attempts = row.attempts + 1;
	if (!(outcome instanceof DeliveryError)) return confirmed(attempts, outcome);
	const failed = { reason: outcome.message, remote: null, waitMs: 0 };
	switch (outcome.kind) {
		case "rejected":
		case "gone":
			return { to: "dead", attempts, ...failed };
		case "closed":
			// An edit waits: the post shows an earlier state, which is corrected when the room is open again. A new post would
			// appear too late.
			return row.edits
				? { to: "held", attempts, ...failed, reason: postTexts.closed({ error: outcome.message }) }
				: { to: "dead", attempts, ...failed };
		case "rate-limited":
			// The platform did not carry out the request. The post is not the cause, so the attempt is not counted.
			return { to: "planned", attempts: row.attempts, ...failed, waitMs: outcome.limit ? 0 : firstWaitMs };
		case "unknown":
			return {
				to: "unknown",
				attempts,
				...failed,
				waitMs: repeats.until > monotonic ? repeatWait(0, chance) : 0,
			};
	}
}

/**
 * Returns the next state of a row after the answer to a repeated request. Updates `repeats`. A refusal applies only
 * to the repeat: an earlier request may have been carried out, so the post is looked up.
 */
export function judgeRepeat(
	row: OpenRow,
	repeats: Repeats,
	outcome: Receipt | DeliveryError,
	{ monotonic, chance }: Moment,
): NextDelivery {
	const { attempts } = row;
	if (!(outcome instanceof DeliveryError)) return confirmed(attempts, outcome);
	const unclear = { to: "unknown" as const, attempts, reason: outcome.message, remote: null };
	switch (outcome.kind) {
		case "rejected":
		case "gone":
		case "closed":
			repeats.until = monotonic;
			return { ...unclear, waitMs: 0 };
		case "rate-limited":
			return { ...unclear, waitMs: outcome.limit ? 0 : firstWaitMs };
		case "unknown":
			repeats.count += 1;
			return { ...unclear, waitMs: repeatWait(repeats.count, chance) };
	}
}

export interface Moment {
	readonly now: number;
	readonly monotonic: number;
	readonly chance: number;
}

/** Returns the next state of a row that may be posted, after a lookup. Updates the counts of `doubt`. */
export function judgeLookup(
	row: OpenRow,
	doubt: Doubt,
	outcome: Receipt | DeliveryError | undefined,
	moment: Moment,
): NextDelivery {
	if (outcome === undefined) return judgeAbsence(row, doubt, moment);
	const { attempts, reason } = row;
	if (!(outcome instanceof DeliveryError)) return confirmed(attempts, outcome);
	const undecided = {
		to: "held" as const,
		attempts,
		remote: null,
		waitMs: 0,
		reason: postTexts.unchecked({ error: outcome.message }),
	};
	const stays = { to: "unknown" as const, attempts, reason, remote: null };
	switch (outcome.kind) {
		case "gone":
			return { ...undecided, to: "dead", reason: outcome.message };
		case "rejected":
		case "closed":
			return undecided;
		case "rate-limited":
			return { ...stays, waitMs: outcome.limit ? 0 : firstWaitMs };
		case "unknown":
			// Both clocks are checked, because the wall clock may have been set back.
			if (moment.now - row.at > staleMs || moment.monotonic - doubt.since > staleMs) return undecided;
			doubt.failures += 1;
			return { ...stays, waitMs: backoff(doubt.failures, moment.chance) };
	}
}

/**
 * Returns the next state of an edit with an unclear result. The edit is repeated when the earlier request must have
 * arrived, so that a late request cannot undo a newer edit.
 */
export function judgeEdit(row: OpenRow, doubt: Doubt, monotonic: number): NextDelivery {
	const { attempts, reason } = row;
	const left = doubt.since + inboundMs - monotonic;
	return { to: left > 0 ? "unknown" : "planned", attempts, reason, remote: null, waitMs: Math.max(0, left) };
}

function judgeAbsence(row: OpenRow, doubt: Doubt, { monotonic, chance }: Moment): NextDelivery {
	const { attempts, reason } = row;
	const after = { attempts, reason, remote: null };
	doubt.failures = 0;
	const arrived = doubt.since + inboundMs;
	if (monotonic < arrived) return { to: "unknown", ...after, waitMs: arrived - monotonic };
	// Only a process with a lost database can have sent the post.
	if (attempts === 0) return { to: "planned", ...after, waitMs: 0 };
	doubt.absences += 1;
	if (doubt.absences < 2) return { to: "unknown", ...after, waitMs: lookupIntervalMs };
	if (attempts < maxAttempts) return { to: "planned", ...after, waitMs: backoff(attempts, chance) };
	const why = postTexts.failed({ attempts, reason: reason ?? postTexts.noReason });
	return { to: "dead", ...after, reason: why, waitMs: 0 };
}

function confirmed(attempts: number, { remote, unreached }: Receipt): NextDelivery {
	// `readUnreached` reads the reason.
	return { to: "confirmed", attempts, reason: unreached ?? null, remote, waitMs: 0 };
}
