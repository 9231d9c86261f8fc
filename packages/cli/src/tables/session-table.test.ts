import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { sessionTable } from "./session-table.ts";

const now = Date.parse("2026-01-01T12:00:00Z");

function session(changes: {
	readonly session_id: string;
	readonly title?: string;
	readonly updated_at: string;
}) {
	return {
		title: "",
		status: "active",
		root_dir: "/home/ada/a/very/long/directory",
		created_at: "2026-01-01T00:00:00Z",
		message_count: 3,
		last_seq: 7,
		state: "idle" as const,
		...changes,
	};
}

const sessions = [
	session({ session_id: "sess_old", updated_at: "2025-12-30T12:00:00Z", title: "日本語".repeat(20) }),
	session({ session_id: "sess_new", updated_at: "2026-01-01T11:58:00Z" }),
];

test("prints sessions with all details, newest first", () => {
	const format = { columns: Number.POSITIVE_INFINITY, styles: createStyles(false) };
	expect(sessionTable(sessions, now, format).slice(0, 2)).toEqual([
		expect.stringMatching(/^ID +STATE +MSGS +UPDATED +TITLE +DIRECTORY$/),
		expect.stringMatching(
			/^sess_new +idle +3 +2 min ago +\(no title\) +\/home\/ada\/a\/very\/long\/directory$/,
		),
	]);
});

test("shortens long titles and directories to the width of the terminal", () => {
	const rows = sessionTable(sessions, now, { columns: 70, styles: createStyles(false) });
	expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(70);
	expect(rows[2]).toContain("日本語日…");
});

test.each([
	[70, /^ID +STATE +MSGS +UPDATED +TITLE +DIRECTORY$/],
	[60, /^ID +STATE +UPDATED +TITLE$/],
	[54, /^ID +STATE +TITLE$/],
	[30, /^ID +STATE…$/],
])("limits rows to %i columns, and keeps the title as long as possible", (columns, head) => {
	const long = sessions.map((one) => ({ ...one, session_id: one.session_id.padEnd(27, "x") }));
	const shown = columns === 70 ? sessions : long;
	const rows = sessionTable(shown, now, { columns, styles: createStyles(false) });
	expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
	if (columns > 30) expect(rows[0]).toMatch(head);
});
