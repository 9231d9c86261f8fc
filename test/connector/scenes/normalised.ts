/** Replaces or removes values that differ between runs, for example ids, times and token counts. */
export function normalised(transcript: string): string {
	return (
		transcript
			.replace(/^((?:\s*\| )?)\d\d:\d\d:\d\d /gm, "$1")
			.replace(/\b(?:\d{15,}|[CDGTU][0-9A-Z]{8,})\b/g, "ID")
			.replace(/(\/archives\/ID\/)p\d+/g, "$1pID")
			.replace(/\b(thread_ts=)[\d.]+/g, "$1ID")
			// The scene may end shortly before or after the next run of a schedule.
			.replace(/\bnext (?:in \d+ \w+|\d+ \w+ ago)/g, "next in TIME")
			.replace(/\b\d{4}-\d\d-\d\d (?:at )?\d\d:\d\d\b/g, "DATE")
			.replace(/\b[\d,]+ → [\d,]+ tokens\b/g, "TOKENS")
			.replace(/\b[\d,]+ tokens in, [\d,]+ out\b/g, "TOKENS")
			// A fast answer is posted once. A slow answer is edited while it grows.
			.replace(/\(to (\w+), edited\)/g, "(to $1)")
			.replace(/^((?:\s*\| )?Parley) \(edited\)$/gm, "$1")
			.replace(/\b(after|took) \d+ s\b/g, "$1 TIME")
			.replace(/\b(\d+ tool calls? in) \d+ s\b/g, "$1 TIME")
			.replace(/ · (?:\d+ min )?\d+ s\b/g, "")
			// Rounding may show a day as 23 hours, or an hour as 50 to 59 minutes.
			.replace(/\bin (?:1 day|23 hours)\b/g, "in 24 hours")
			.replace(/\bin (?:1 hour|5\d minutes)\b/g, "in 60 minutes")
			.replace(/\b(?:in 0 seconds|\d+ (second|minute)s? ago)(?!\w)/g, "TIME ago")
	);
}
