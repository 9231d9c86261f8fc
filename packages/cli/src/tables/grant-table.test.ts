import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { type Grant, grantTable, requestRows, type TrustRequest } from "./access-tables.ts";

const now = Date.UTC(2026, 0, 1);

function grant(fields: Partial<Grant>): Grant {
	return {
		grant_id: "grant_1",
		place: "discord:1:c",
		people: null,
		tools: null,
		classes: null,
		max_actions: 200,
		used_actions: 3,
		reason: "release",
		granted_by: "operator",
		created_at: "2026-01-01T00:00:00Z",
		expires_at: "2026-01-01T03:00:00Z",
		...fields,
	};
}

test("prints grants with their remaining time and their scope", () => {
	const rows = grantTable(
		[
			grant({}),
			grant({ tools: ["git"], classes: ["write"], people: ["discord:1:ada"], reason: "a\u{1b}b" }),
			grant({ ended_at: "2026-01-01T00:00:00Z", end_reason: "three denials" }),
			grant({ expires_at: "2025-12-31T00:00:00Z" }),
		],
		now,
		{ columns: Number.POSITIVE_INFINITY, styles: createStyles(false) },
	);
	expect(rows[0]).toMatch(/^ID +CHANNEL +STATE +CALLS +COVERS +GRANTED BY +REASON$/);
	expect(rows[1]).toMatch(
		/^grant_1 +discord:1:c +3 h left +3\/200 +all calls of members +operator +release$/,
	);
	expect(rows[2]).toMatch(/git, write of discord:1:ada +operator +a\\u\{1b\}b$/);
	expect(rows[3]).toMatch(/ended [\d-]+ [\d:]+: three denials/);
	expect(rows[4]).toMatch(/ expired /);
});

test("keeps the id, the channel and the state in a narrow terminal", () => {
	const rows = grantTable([grant({})], now, { columns: 60, styles: createStyles(false) });
	expect(rows[0]).toMatch(/^ID +CHANNEL +STATE/);
	expect(rows.every((row) => row.length <= 60)).toBe(true);
});

const request: TrustRequest = {
	token: "prompt_1",
	session_id: "sess_1",
	place: "discord:1:c",
	person: "discord:1:ada",
	name: "Ada\u{1b}",
	people: null,
	tools: ["git"],
	classes: null,
	max_actions: 200,
	minutes: 240,
	reason: "release night",
	created_at: "2026-01-01T00:00:00Z",
	expires_at: "2026-01-02T00:00:00Z",
};

test("prints requests for trust with their requester, limits and reason, and the commands that answer them", () => {
	const format = { columns: Number.POSITIVE_INFINITY, styles: createStyles(false) };
	const { person: _, name: __, ...unnamed } = request;
	const rows = requestRows([request, unnamed], now, format);
	expect(rows[0]).toMatch(/^ID +CHANNEL +REQUESTED BY +LIMITS +COVERS +EXPIRES IN +REASON$/);
	expect(rows[1]).toMatch(
		/^prompt_1 +discord:1:c +Ada\\u\{1b\} \(discord:1:ada\) +4 h, 200 calls +git of members +24 h +release night$/,
	);
	expect(rows[2]).toMatch(/ unknown /);
	expect(rows[3]).toMatch(/trust approve ID.*trust deny ID/);
	const narrow = requestRows([request], now, { ...format, columns: 60 });
	expect(narrow.every((row) => row.length <= 60)).toBe(true);
});
