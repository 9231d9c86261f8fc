import { expect, test } from "vitest";
import { createStyles } from "../text/styles.ts";
import { planRows } from "./task-words.ts";

test("each step is a row with its state, and an ended one with its duration from one second on", () => {
	const plan = [
		{ title: "look", status: "completed", duration: 65_000_000_000 },
		{ title: "ask", status: "skipped", duration: 12_300_000_000 },
		{ title: "test", status: "completed", duration: 300_000_000 },
		{ title: "ship", status: "in_progress" },
	] as const;
	expect(planRows([...plan], { columns: 80, styles: createStyles(false) })).toEqual([
		"✓ look (1m 5s)",
		"- ask (skipped) (12s)",
		"✓ test",
		"▸ ship",
	]);
});
