import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { widthOf } from "../text/wrap.ts";
import { tokenTable } from "./access-tables.ts";

const now = Date.parse("2026-01-10T12:00:00Z");
const created_at = "2026-01-01T12:00:00Z";
const tokens = [
	{
		id: "aaaa1111bbbbccccddddeeeeff",
		kind: "observer" as const,
		name: "gone",
		created_at,
		status: "revoked" as const,
		sessions: ["sess_1", "sess_2"],
	},
	{
		id: "bbbb1111bbbbccccddddeeeeff",
		kind: "observer" as const,
		name: "wall",
		created_at,
		status: "active" as const,
		expires_at: "2026-01-31T12:00:00Z",
		last_used_at: "2026-01-10T11:57:00Z",
	},
	{
		id: "cccc1111bbbbccccddddeeeeff",
		kind: "connector" as const,
		name: "chat\u001b[2J",
		created_at,
		status: "active" as const,
		platform: "discord",
		tenants: ["111", "222"],
	},
];

test("prints active tokens first, with their scope and expiry", () => {
	const rows = tokenTable(tokens, { columns: 200, styles: createStyles(false) }, now);
	expect(rows[0]).toMatch(/^ID +KIND +NAME +SCOPE +LAST USED +STATUS$/);
	expect(rows[1]).toMatch(/^bbbb1111 +observer +wall +all sessions +3 min ago +expires in 21 days$/);
	expect(rows[2]).toMatch(/^cccc1111 +connector +chat\S+ +discord 111 222 +never +does not expire$/);
	expect(rows[3]).toMatch(/^aaaa1111 +observer +gone +2 sessions +never +revoked$/);
	expect(rows.join("")).not.toContain("\u001b");
});

test("prints no row that is wider than the terminal", () => {
	for (const columns of [40, 60, 80]) {
		const rows = tokenTable(tokens, { columns, styles: createStyles(false) }, now);
		expect(Math.max(...rows.map(widthOf))).toBeLessThanOrEqual(columns);
		expect(rows).toHaveLength(4);
	}
});
