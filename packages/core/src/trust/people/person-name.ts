import { visible } from "../../text/visible.ts";

/** Characters of a name that are kept. */
const mostKept = 80;

/** A name of somebody of a chat platform, who chose it: one line that shows every character, and no long one. */
export function shownName(name: string): string {
	const letters = [...visible(name.trim().replaceAll(/\s+/gu, " "))];
	return letters.length > mostKept ? `${letters.slice(0, mostKept - 1).join("")}…` : letters.join("");
}
