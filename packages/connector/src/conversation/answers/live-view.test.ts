import { expect, test } from "vitest";
import { liveView } from "./live-view.ts";
import type { CallPart } from "./run-parts.ts";

const callsOf = (outcomes: string): CallPart[] =>
	[...outcomes].map((outcome, index) => ({
		type: "call",
		id: `c${index}`,
		name: "bash",
		from: 0,
		to: 0,
		...(outcome === "x" ? { failed: true } : {}),
	}));

test.each([
	["...", "✅ bash"],
	["....", "✅ 1 earlier tool call"],
	["x...", "❌ 1 earlier tool call"],
	["xx...", "❌ 2 earlier tool calls"],
	[".x....", "3 earlier tool calls, 1 failed"],
])("the line about earlier calls reports failures: %s", (outcomes, line) => {
	const view = liveView(callsOf(outcomes), { level: "tools", text: "", now: 0 });
	expect(view.split("  \n")[0]).toBe(line);
});
