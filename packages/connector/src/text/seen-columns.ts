import { columnsOf } from "./columns.ts";

/** Columns of a display name and of a relative time, which platforms show in place of their ids. */
const nameColumns = 20;
const timeColumns = 16;

const names = /<@!?\w+>|\[[^\]]*\]\(https:\/\/discord\.com\/users\/\d+\)/gu;
const times = /<t:\d+(?::\w)?>|<!date\^[^>]*>|\[[^\]]*\]\(https:\/\/moment\.invalid\/\d+\)/gu;
const links = /\[(?<label>[^\]]*)\]\([^)\s]*\)/gu;

/** Width of a line of a post in columns, as people see it: without marks, with names and times in place of ids. */
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
