import { columnsOf } from "./columns.ts";

/** Assumed columns of a display name. Platforms show it in place of an id. */
const nameColumns = 20;
/** Assumed columns of a relative time. */
const timeColumns = 16;

const names = /<@!?\w+>|\[[^\]]*\]\(https:\/\/discord\.com\/users\/\d+\)/gu;
const times = /<t:\d+(?::\w)?>|<!date\^[^>]*>|\[[^\]]*\]\(https:\/\/moment\.invalid\/\d+\)/gu;
const links = /\[(?<label>[^\]]*)\]\([^)\s]*\)/gu;

/**
 * Returns the visible width in columns of one line in a post. Formatting marks have no width. The codes of names
 * and times are measured as the names and times that people see.
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
