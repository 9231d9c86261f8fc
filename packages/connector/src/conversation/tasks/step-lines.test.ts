import { expect, test } from "vitest";
import { stepLines } from "./step-lines.ts";

test("each step is a line with its state, and its title is not parsed as formatting", () => {
	expect(
		stepLines([
			{ title: "look", status: "completed" },
			{ title: "*ask*", status: "skipped" },
			{ title: "change", status: "in_progress" },
			{ title: "test", status: "pending" },
		]),
	).toEqual(["✅ look", "➖ \\*ask\\*", "▶️ change", "⬜ test"]);
});

test("an ended step shows its duration from one second on", () => {
	const steps = [
		{ title: "look", status: "completed", duration: 65_000_000_000 },
		{ title: "ask", status: "skipped", duration: 12_300_000_000 },
		{ title: "test", status: "completed", duration: 900_000_000 },
	] as const;
	expect(stepLines(steps)).toEqual(["✅ look · 1 min 5 s", "➖ ask · 12 s", "✅ test"]);
});

test("a long list shows twelve steps around the current one", () => {
	const steps = Array.from({ length: 50 }, (_, at) => ({
		title: `s${at}`,
		status: at < 20 ? ("completed" as const) : ("pending" as const),
	}));
	const lines = stepLines(steps);
	expect([lines.length, lines[0], lines[1], lines.at(-2), lines.at(-1)]).toEqual([
		14,
		"… 14 earlier steps",
		"✅ s14",
		"⬜ s25",
		"… 24 more steps",
	]);
	const done = steps.map((step) => ({ ...step, status: "completed" as const }));
	expect(stepLines(done).at(-1)).toBe("✅ s49");
});
