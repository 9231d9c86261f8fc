import { expect, test } from "vitest";
import { askQuestion } from "../testing/questions.ts";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { openQuestionRows } from "./question-rows.ts";

const now = Date.UTC(2026, 0, 2);
const where = { session_id: "sess_1", created_at: new Date(now - 180_000).toISOString() };
const question = { ...askQuestion({ token: "prompt_abcdef123456", label: "Which\u001b[2J?" }), ...where };
const format = (columns: number) => ({ columns, styles: createStyles(false) });

test("prints each question with its short id, session, time and person", () => {
	const rows = openQuestionRows(
		[
			{ ...question, session_title: "Ships", person: "discord:1:2", always_ask: false },
			{ ...question, token: "prompt_zzzzzz654321", session_title: "", label: "Allow rm?", always_ask: true },
		],
		now,
		format(200),
	);
	expect(rows).toEqual([
		"ID      SESSION     ASKED      FOR          QUESTION",
		"123456  Ships       3 min ago  discord:1:2  Which\\u{1b}[2J?",
		"654321  (no title)  3 min ago  you          ! Allow rm?",
		"`parley answer ID` answers a question. Calls with ! always require approval.",
	]);
});

test("limits rows to the width of the terminal, and keeps the ids", () => {
	const rows = openQuestionRows(
		[{ ...question, session_title: "x".repeat(90), label: "y".repeat(90), always_ask: false }],
		now,
		format(40),
	);
	expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(40);
	expect(rows[1]).toMatch(/^123456 /);
});

test("reports that no question is open", () => {
	expect(openQuestionRows([], now, format(80))).toEqual(["no open questions"]);
});
