import type { FeedbackPayload } from "@parley/protocol";
import { shorten } from "../text/shorten.ts";
import type { Look } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";

/** Each rating as one line of facts, with the reply and the comment below. `now` is in milliseconds since the epoch. */
export function feedbackRows(
	feedback: readonly FeedbackPayload[],
	now: number,
	{ columns, styles }: Look,
): string[] {
	return feedback.flatMap(({ session_id, title, by, rating, comment, ts, reply }) => {
		const about = title === "" ? session_id : `${session_id} (${title})`;
		const facts = visibleLine(`by ${by}, ${timeAgo(Date.parse(ts), now)}, in ${about}`);
		const [first = ""] = reply.trimStart().split("\n");
		return [
			`${rating.padEnd(4)}  ${styles.dim(facts)}`,
			shorten(`  reply: ${visibleLine(first)}`, columns),
			...(comment === "" ? [] : wrapText(`  comment: ${visibleLine(comment)}`, columns)),
		];
	});
}
