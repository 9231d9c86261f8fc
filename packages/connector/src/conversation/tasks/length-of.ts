/** Writes a duration: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function lengthOf(ms: number): string {
	const seconds = Math.max(0, Math.round(ms / 1_000));
	const minutes = Math.floor(seconds / 60);
	if (minutes === 0) return `${seconds} s`;
	if (minutes < 60) return joined([minutes, "min"], [seconds % 60, "s"]);
	return joined([Math.floor(minutes / 60), "h"], [minutes % 60, "min"]);
}

function joined(...parts: readonly (readonly [number, string])[]): string {
	return parts.flatMap(([count, unit]) => (count === 0 ? [] : [`${count} ${unit}`])).join(" ");
}
