import { expect, test } from "vitest";
import { commandRows } from "./command-rows.ts";

const started_at = "2026-01-01T00:00:00Z";
const now = Date.parse("2026-01-01T00:05:00Z");
const ended = { started_at, state: "ended", ended_at: "2026-01-01T00:04:00Z" } as const;

test("each command has its number, state, line and age", () => {
	const rows = commandRows(
		[
			{ number: 4, command: "npm run dev", state: "running", started_at },
			{ ...ended, number: 3, command: "make\u202e", reason: "exited", exit_code: 2 },
			{ ...ended, number: 2, command: "watch", reason: "stopped" },
			{ ...ended, number: 1, command: `echo ${"x".repeat(200)}`, reason: "gateway" },
		],
		now,
		{ columns: 60 },
	);
	expect(rows.slice(0, 3)).toEqual([
		"4 is running: npm run dev (5 min ago)",
		"3 ended with exit code 2: make\\u{202e} (1 min ago)",
		"2 was stopped: watch (1 min ago)",
	]);
	expect(rows[3]).toMatch(/^1 ended with the gateway: echo x+…$/);
});
