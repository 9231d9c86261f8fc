/** Returns local time in the form `2026-01-31 09:05:07`. */
export function localTime(time: Date): string {
	return `${localDay(time)} ${clockTime(time)}`;
}

/** Returns the local time of day in the form `09:05:07`. */
export function clockTime(time: Date): string {
	return [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(":");
}

function localDay(time: Date): string {
	return [time.getFullYear(), twoDigits(time.getMonth() + 1), twoDigits(time.getDate())].join("-");
}

function twoDigits(number: number): string {
	return String(number).padStart(2, "0");
}
