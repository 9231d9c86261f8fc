import type { OpenPromptPayload } from "@parley/protocol";
import { tableRows } from "../text/columns.ts";
import type { Look } from "../text/styles.ts";
import { timeAgo } from "../text/time-ago.ts";
import { visibleLine } from "../text/visible.ts";
import { wrapText } from "../text/wrap.ts";
import { shortCode } from "./short-code.ts";

const head = ["ID", "CONVERSATION", "ASKED", "FOR", "QUESTION"];

/** What waits for an answer, the oldest first, and below how to give one. */
export function openQuestionRows(questions: readonly OpenPromptPayload[], now: number, look: Look): string[] {
	if (questions.length === 0) return ["nothing waits for an answer"];
	const rows = questions.map(({ token, session_title, created_at, person, label, always_ask }) => [
		shortCode(token),
		visibleLine(session_title) || "without a title",
		timeAgo(Date.parse(created_at), now),
		visibleLine(person ?? "you"),
		`${always_ask ? "! " : ""}${visibleLine(label)}`,
	]);
	const hint = "`parley answer ID` answers one; those with ! are always asked about.";
	return [
		...tableRows({ rows: [head, ...rows], optional: [3, 2, 1], elastic: 4 }, look),
		...wrapText(hint, look.columns),
	];
}
