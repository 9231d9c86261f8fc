import { checkTexts } from "../texts/shared.ts";
import type { Finding } from "./finding.ts";

/** Minimum clock differences in milliseconds at which a check warns or fails. */
const skewMs = { warn: 30_000, fail: 300_000 } as const;

interface ClockTimes {
	readonly id: string;
	readonly platform: string;
	readonly ownTime: number;
	/** Time of the platform from a header, in milliseconds since the epoch; undefined if the platform sent none. */
	readonly theirTime: number | undefined;
}

/** Compares the clock of this machine with the clock of a platform. Returns the status `ok` if the platform sent no time. */
export function checkClockOf({ id, platform, ownTime, theirTime }: ClockTimes): Finding {
	if (theirTime === undefined) return { id, status: "ok", what: checkTexts.clockUnknown({ platform }) };
	// The header has whole seconds, so it may differ by up to one second.
	const apart = Math.max(0, Math.abs(ownTime - theirTime) - 1000);
	if (apart < skewMs.warn) return { id, status: "ok", what: checkTexts.clock({ platform }) };
	const what = checkTexts.clockOff({ platform, seconds: Math.round(apart / 1000) });
	return { id, status: apart < skewMs.fail ? "warn" : "fail", what, fix: checkTexts.clockOffFix };
}
