const units: readonly (readonly [string, number])[] = [
	["day", 86_400],
	["hour", 3600],
	["minute", 60],
	["second", 1],
];

/** Formats a relative time, for example `in 5 minutes` or `2 days ago`. Negative `seconds` are in the past. */
export function relativeTime(seconds: number): string {
	const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? (["second", 1] as const);
	const count = Math.round(Math.abs(seconds) / size);
	const words = `${count} ${unit}${count === 1 ? "" : "s"}`;
	return seconds < 0 ? `${words} ago` : `in ${words}`;
}
