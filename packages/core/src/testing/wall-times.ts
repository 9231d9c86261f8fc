const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Start of the test year, in milliseconds since the epoch. */
export const yearStart = Date.UTC(2026, 0, 1);
export const yearEnd = Date.UTC(2027, 0, 1);

/** Daily times in the hours that daylight saving skips or repeats. The shift on Lord Howe Island is half an hour. */
export const dailyPlans = [
	{ timeZone: "Europe/Berlin", hour: 2, minute: 30 },
	{ timeZone: "America/New_York", hour: 1, minute: 30 },
	{ timeZone: "Australia/Lord_Howe", hour: 2, minute: 15 },
	{ timeZone: "Australia/Lord_Howe", hour: 1, minute: 45 },
	{ timeZone: "America/New_York", hour: 2, minute: 30 },
] as const;
type Plan = (typeof dailyPlans)[number];

/** Returns a function that computes the offset of the time zone from UTC in minutes. */
function offsetOf(timeZone: string): (at: number) => number {
	const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" });
	return (at) => {
		const name = format.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
		const [, sign, hours = "0", minutes = "0"] = /^GMT(?:([+-])(\d{2}):(\d{2}))?$/.exec(name) ?? [];
		return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
	};
}

/** Returns the due times of a daily plan in the test year, formatted by `timeOf`. Does not use the product's code. */
export function expectedTimes({ timeZone, hour, minute }: Plan): string[] {
	const offset = offsetOf(timeZone);
	const instants: number[] = [];
	for (let day = yearStart - dayMs; day <= yearEnd; day += dayMs) {
		const wall = day + (hour * 60 + minute) * minuteMs;
		const offsets = [offset(wall - dayMs), offset(wall + dayMs)];
		const shown = offsets
			.map((one) => wall - one * minuteMs)
			.filter((at) => at + offset(at) * minuteMs === wall);
		instants.push(shown.length > 0 ? Math.min(...shown) : afterGap(wall, offset));
	}
	return instants.filter((at) => at > yearStart && at < yearEnd).map(timeOf);
}

/**
 * Returns the first minute after the daylight saving gap, if the local time `wall` is in a gap. Otherwise, returns the
 * minute of `wall`.
 */
function afterGap(wall: number, offset: (at: number) => number): number {
	let at = wall - dayMs;
	while (at + offset(at) * minuteMs < wall) at += minuteMs * 15;
	while (at - minuteMs + offset(at - minuteMs) * minuteMs >= wall) at -= minuteMs;
	return at;
}

/** Formats an instant in UTC, to the minute. */
export const timeOf = (at: number): string => new Date(at).toISOString().slice(0, 16);
export const cronOf = ({ hour, minute }: Plan): string => `${minute} ${hour} * * *`;
