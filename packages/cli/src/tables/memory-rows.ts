import type { MemoryPayload } from "@parley/protocol";
import type { Look } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

/** Each memory as one line of facts and its text below. `now` is in milliseconds since the epoch. */
export function memoryRows(
	memories: readonly MemoryPayload[],
	now: number,
	{ columns, styles }: Look,
): string[] {
	return memories.flatMap(({ memory_id, scope, subject, content, tags, author, created_at }) => {
		const about = scope === "everyone" ? "for everyone" : `for ${scope} ${subject ?? ""}`;
		const labels = tags.map((tag) => ` #${tag}`).join("");
		const facts = `${about}, by ${author}, ${timeAgo(Date.parse(created_at), now)}${labels}`;
		return [
			`${memory_id}  ${styles.dim(visibleLine(facts))}`,
			...content.split("\n").flatMap((line) => wrapText(`  ${visibleLine(line)}`, columns)),
		];
	});
}
