import type { DeliveryState } from "../store/tables.ts";
import type { OpenRow } from "./open-row.ts";
import { DeliveryError, type Receipt } from "./surface.ts";

/** So often a post is tried that was proven each time not to be there. */
export const mostAttempts = 8;

/** What is older is not posted, and not looked for, without asking a person: nobody expects it any more. */
export const staleMs = 24 * 3_600_000;

/** A request that timed out may still be carried out: only from then on does an absence count, and it must be seen twice. */
const arrivalMs = 15_000;
const betweenLooksMs = 5000;

const firstWaitMs = 1000;
const mostWaitMs = 5 * 60_000;
const firstRepeatMs = 250;
const mostRepeatMs = 8000;

/** Grows from about one second to five minutes, each time somewhere between half and the whole of it. */
export function backoff(failures: number, chance: number): number {
	return jittered(Math.min(firstWaitMs * 2 ** (failures - 1), mostWaitMs), chance);
}

/** Wait before a repeat: doubles from 250 ms to 8 s, each time between half and the whole of it. */
function repeatWait(repeats: number, chance: number): number {
	return jittered(Math.min(firstRepeatMs * 2 ** repeats, mostRepeatMs), chance);
}

function jittered(ms: number, chance: number): number {
	return ms * (0.5 + chance / 2);
}

/** Where a row goes, and how long it waits there before it is touched again. */
export interface Verdict {
	readonly to: DeliveryState;
	readonly attempts: number;
	readonly reason: string | null;
	readonly remote: string | null;
	readonly waitMs: number;
}

/** What is known of a row that was perhaps posted; lost with the process, which then looks from the beginning. */
export interface Doubt {
	/** Monotonic time from which on certainly no request was made: the first look, or the start of the process. */
	readonly since: number;
	/** How often it was not there, at a time when it would have been. */
	absences: number;
	/** How often in a row nobody could say. */
	failures: number;
}

/** Repeats of an unclear request, while the platform refuses a second post of it. Lost with the process. */
export interface Repeats {
	/** Monotonic time of the end. */
	until: number;
	count: number;
}

/** The repeats left after a restart. A clock that was set back says nothing about the time that has passed: none. */
export function repeatsLeft(
	sentAt: number | null,
	windowMs: number,
	{ now, monotonic }: Pick<Moment, "now" | "monotonic">,
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
		case "rate-limited":
			// It was certainly not carried out, and is no fault of the post.
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
			repeats.until = monotonic;
			return { ...unclear, waitMs: 0 };
		case "rate-limited":
			return { ...unclear, waitMs: outcome.limit ? 0 : firstWaitMs };
		case "unknown":
			repeats.count += 1;
			return { ...unclear, waitMs: repeatWait(repeats.count, chance) };
	}
}

/** The time and the chance at which something is judged. */
export interface Moment {
	readonly now: number;
	readonly monotonic: number;
	readonly chance: number;
}

/** What a look makes of a row that was perhaps posted. Counts in `doubt`. */
export function judgeLook(
	row: OpenRow,
	doubt: Doubt,
	outcome: Receipt | DeliveryError | undefined,
	moment: Moment,
): Verdict {
	if (outcome === undefined) return judgeAbsence(row, doubt, moment);
	const { attempts, reason } = row;
	if (!(outcome instanceof DeliveryError)) return confirmed(attempts, outcome);
	const held = {
		to: "held" as const,
		...{ attempts, remote: null, waitMs: 0 },
		reason: `it may have been posted, and nobody can look: ${outcome.message}`,
	};
	const stays = { to: "unknown" as const, attempts, reason, remote: null };
	switch (outcome.kind) {
		case "gone":
			return { ...held, to: "dead", reason: outcome.message };
		case "rejected":
			return held;
		case "rate-limited":
			return { ...stays, waitMs: outcome.limit ? 0 : firstWaitMs };
		case "unknown":
			if (moment.now - row.at > staleMs) return held;
			doubt.failures += 1;
			return { ...stays, waitMs: backoff(doubt.failures, moment.chance) };
	}
}

/**
 * An edit may be made twice, but one that is carried out late must not undo a newer one: nothing follows it before it
 * has arrived or never will.
 */
export function judgeEdit(row: OpenRow, doubt: Doubt, monotonic: number): Verdict {
	const { attempts, reason } = row;
	const left = doubt.since + arrivalMs - monotonic;
	return { to: left > 0 ? "unknown" : "planned", attempts, reason, remote: null, waitMs: Math.max(0, left) };
}

function judgeAbsence(row: OpenRow, doubt: Doubt, { monotonic, chance }: Moment): Verdict {
	const { attempts, reason } = row;
	const after = { attempts, reason, remote: null };
	doubt.failures = 0;
	const arrived = doubt.since + arrivalMs;
	if (monotonic < arrived) return { to: "unknown", ...after, waitMs: arrived - monotonic };
	// Only another process, with a database that is lost, can have sent it.
	if (attempts === 0) return { to: "planned", ...after, waitMs: 0 };
	doubt.absences += 1;
	if (doubt.absences < 2) return { to: "unknown", ...after, waitMs: betweenLooksMs };
	if (attempts < mostAttempts) return { to: "planned", ...after, waitMs: backoff(attempts, chance) };
	const why = `not posted after ${attempts} attempts: ${reason ?? "no reason was given"}`;
	return { to: "dead", ...after, reason: why, waitMs: 0 };
}

function confirmed(attempts: number, { remote }: Receipt): Verdict {
	return { to: "confirmed", attempts, reason: null, remote, waitMs: 0 };
}
