import { expect, test } from "vitest";
import { createdWords } from "./access-tables.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const created_at = "2026-01-01T00:00:00Z";

test("describes a new token, its expiry and its use", () => {
	const info = {
		id: "abcdefghijklmnopqrstuvwxyz",
		kind: "observer",
		name: "wall",
		status: "active",
	} as const;
	const words = createdWords({ ...info, created_at, expires_at: "2026-01-31T00:00:00Z" }, now);
	expect(words).toMatch(/^observer token wall \(abcdefgh\) expires in 30 days\. It cannot be shown again\./);
	expect(words).toContain("PARLEY_TOKEN");
});

test("describes where the operator token is stored", () => {
	const info = {
		id: "abcdefghijklmnopqrstuvwxyz",
		kind: "operator",
		name: "operator",
		status: "active",
	} as const;
	expect(createdWords({ ...info, created_at }, now)).toMatch(
		/does not expire\. It is stored in the data directory/,
	);
});
