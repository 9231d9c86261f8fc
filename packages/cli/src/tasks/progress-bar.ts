const full = "█";
const empty = "░";

/** `████░░░░░░  40%`; the last cell is filled by what is complete alone. */
export function progressBar(percentage: number, width: number): string {
	const percent = Math.min(100, Math.max(0, Math.floor(percentage)));
	const filled = Math.floor((percent * width) / 100);
	return `${full.repeat(filled)}${empty.repeat(width - filled)} ${String(percent).padStart(3)}%`;
}
