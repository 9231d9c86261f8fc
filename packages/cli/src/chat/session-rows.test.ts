import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { keyTexts } from "../texts/chat/keys.ts";
import { sessionRows } from "./session-rows.ts";

const now = Date.parse("2026-01-01T12:00:00Z");
const session = {
	session_id: "sess_4k2xw81",
	title: "the harbour",
	status: "active",
	root_dir: "/home/ada",
	created_at: "2026-01-01T00:00:00Z",
	updated_at: "2026-01-01T11:58:00Z",
	message_count: 3,
	last_seq: 7,
	state: "idle" as const,
};

test.each([
	[100, "▸ 1  sess_4k2xw81  2 min ago  3 messages  the harbour"],
	[60, "▸ 1  sess_4k2xw81  2 min ago  the harbour"],
	[40, "▸ 1  2 min ago  the harbour"],
])("shows the title in %i columns", (columns, row) => {
	const format = { columns, styles: createStyles(false) };
	const rows = sessionRows([session], { current: session.session_id, now }, format);
	expect(rows[0]).toBe(row);
	expect(rows.slice(1).join(" ")).toBe(keyTexts.resumeHint);
});
