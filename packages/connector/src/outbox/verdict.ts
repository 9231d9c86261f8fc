import { DeliveryError, type Receipt } from "../platform/surface.ts";
import type { DeliveryState } from "../store/tables.ts";
import { postTexts } from "../texts/posts.ts";
import type { OpenRow } from "./open-row.ts";

/** Maximum attempts of a post. Each attempt but the first follows a proof that the post is missing. */
export const maxAttempts = 8;

/** Age in milliseconds after which a post is neither sent nor looked up before a person decides. */
export const staleMs = 24 * 3_600_000;

/** A request that timed out may still be carried out. An absence is accepted only after this time, and must be seen twice. */
export const inboundMs = 15_000;
const betweenLooksMs = 5000;

const firstWaitMs = 1000;
const maxWaitMs = 5 * 60_000;
const firstRepeatMs = 250;
const maxRepeatMs = 8000;

/** Wait after a failure: doubles from 1 s to 5 min, each time between half of it and all of it. */
export function backoff(failures: number, chance: number): number {
	return jittered(Math.min(firstWaitMs * 2 ** (failures - 1), maxWaitMs), chance);
}

/** Wait before a repeat: doubles from 250 ms to 8 s, each time between half of it and all of it. */
function repeatWait(repeats: number, chance: number): number {
	return jittered(Math.min(firstRepeatMs * 2 ** repeats, maxRepeatMs), chance);
}

function jittered(ms: number, chance: number): number {
	return ms * (0.5 + chance / 2);
}

/** The next state of a row, and the time until its next step. */
export interface Verdict {
	readonly to: DeliveryState;
	readonly attempts: number;
	readonly reason: string | null;
	readonly remote: string | null;
	readonly waitMs: number;
}

/** Lookups so far of a row that was perhaps posted, in memory. The next process starts its lookups again. */
export interface Doubt {
	/** Monotonic time since the last request: the first lookup, or the start of the process. */
	readonly since: number;
	/** Number of lookups that did not find the post when it must have arrived. */
	absences: number;
	/** Number of failed lookups in a row. */
	failures: number;
}

/** Repeats of an unclear request, while the platform refuses a second post of it. Lost with the process. */
export interface Repeats {
	/** Monotonic time of the end. */
	until: number;
	count: number;
}

/**
 * The repeats left after a restart, by the wall clock. None if the request is in the future or its time is unknown:
 * `checkSendTimes` removes the times from before a change of the clock.
 */
export function repeatsLeft(
	sentAt: number | null,
	windowMs: number,
	{ now, monotonic }: { readonly now: number; readonly monotonic: number },
): Repeats {
	const passed = sentAt === null ? -1 : now - sentAt;
	return { until: passed < 0 ? monotonic : monotonic + windowMs - passed, count: 0 };
}

/** State of a sent row after the answer to its first request. `repeats` are the repeats that the platform allows. */
export function judgeSend(
	row: OpenRow,
	repeats: Repeats,
	outcome: Receipt | DeliveryError,
	{ monotonic, chance }: Moment,
): Verdict {
	const attempts = row.attempts + 1;
	if (!(outcome instanceof DeliveryError)) return confirmed(attempts, outcome);
	const failed = { reason: outcome.message, remote: null, waitMs: 0 };
	switch (outcome.kind) {
		case "rejected":
		case "gone":
			return { to: "dead", attempts, ...failed };
		case "closed":
			// A post shows an earlier state, which is corrected when the room is open again. A new post would appear too late.
			return row.edits
				? { to: "held", attempts, ...failed, reason: postTexts.closed({ error: outcome.message }) }
				: { to: "dead", attempts, ...failed };
		case "rate-limited":
			// The request was not carried out, which is not the fault of the post.
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
 * State of the row after the answer to a repeated request. A refusal applies to the repeat alone: the request before it
 * may have been carried out, so that the post is looked up. Counts in `repeats`.
 */
export function judgeRepeat(
	row: OpenRow,
	repeats: Repeats,
	outcome: Receipt | DeliveryError,
	{ monotonic, chance }: Moment,
): Verdict {
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

/** The time of a judgement, and the random number for its wait. */
export interface Moment {
	readonly now: number;
	readonly monotonic: number;
	readonly chance: number;
}

/** State of a row that was perhaps posted, after a lookup. Counts in `doubt`. */
export function judgeLookup(
	row: OpenRow,
	doubt: Doubt,
	outcome: Receipt | DeliveryError | undefined,
	moment: Moment,
): Verdict {
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
			// By either clock: the wall clock may have been set back.
			if (moment.now - row.at > staleMs || moment.monotonic - doubt.since > staleMs) return undecided;
			doubt.failures += 1;
			return { ...stays, waitMs: backoff(doubt.failures, moment.chance) };
	}
}

/**
 * State of an edit without a clear answer. It may be made twice, but a late one must not undo a newer one. Further edits
 * wait until it must have arrived.
 */
export function judgeEdit(row: OpenRow, doubt: Doubt, monotonic: number): Verdict {
	const { attempts, reason } = row;
	const left = doubt.since + inboundMs - monotonic;
	return { to: left > 0 ? "unknown" : "planned", attempts, reason, remote: null, waitMs: Math.max(0, left) };
}

function judgeAbsence(row: OpenRow, doubt: Doubt, { monotonic, chance }: Moment): Verdict {
	const { attempts, reason } = row;
	const after = { attempts, reason, remote: null };
	doubt.failures = 0;
	const arrived = doubt.since + inboundMs;
	if (monotonic < arrived) return { to: "unknown", ...after, waitMs: arrived - monotonic };
	// Only a process whose database is lost can have sent it.
	if (attempts === 0) return { to: "planned", ...after, waitMs: 0 };
	doubt.absences += 1;
	if (doubt.absences < 2) return { to: "unknown", ...after, waitMs: betweenLooksMs };
	if (attempts < maxAttempts) return { to: "planned", ...after, waitMs: backoff(attempts, chance) };
	const why = postTexts.failed({ attempts, reason: reason ?? postTexts.noReason });
	return { to: "dead", ...after, reason: why, waitMs: 0 };
}

/** The reason of a confirmed row is read by `readUnreached`. */
function confirmed(attempts: number, { remote, unreached }: Receipt): Verdict {
	return { to: "confirmed", attempts, reason: unreached ?? null, remote, waitMs: 0 };
}
