import { columnsOf } from "./columns.ts";

/** Assumed columns of a display name. Platforms show it in place of an id. */
const nameColumns = 20;
/** Assumed columns of a relative time. */
const timeColumns = 16;

const names = /<@!?\w+>|\[[^\]]*\]\(https:\/\/discord\.com\/users\/\d+\)/gu;
const times = /<t:\d+(?::\w)?>|<!date\^[^>]*>|\[[^\]]*\]\(https:\/\/moment\.invalid\/\d+\)/gu;
const links = /\[(?<label>[^\]]*)\]\([^)\s]*\)/gu;

/**
 * Returns the width of a line of a post in columns, as people see the line. Formatting marks have no width, and names
 * and times replace their codes.
 */
export function seenColumns(line: string): number {
	return columnsOf(
		line
			.replaceAll(names, "x".repeat(nameColumns))
			.replaceAll(times, "x".repeat(timeColumns))
			.replaceAll(links, "$<label>")
			.replaceAll(/\*{1,2}|`|^-# /gu, "")
			.replaceAll(/&(?:amp|lt|gt);/gu, "&")
			.replaceAll(/\\(?=[\\*_~|<[\]@.:()#>!-])/gu, ""),
	);
}
