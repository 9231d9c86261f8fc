import { expect, test } from "vitest";
import { callsFoot, liveView } from "./live-view.ts";
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

test.each<[what: string, calls: [from: number, to: number][], foot: string]>([
	[
		"one after another",
		[
			[0, 4000],
			[5000, 9000],
		],
		"2 tool calls in 8 s",
	],
	[
		"at the same time",
		[
			[0, 4000],
			[0, 4000],
			[1000, 2000],
		],
		"3 tool calls in 4 s",
	],
	[
		"partly at the same time",
		[
			[2000, 6000],
			[0, 4000],
		],
		"2 tool calls in 6 s",
	],
])("the foot contains the time in which calls ran: %s", (_, calls, foot) => {
	const parts = calls.map(
		([from, to], index): CallPart => ({ type: "call", id: `c${index}`, name: "bash", from, to }),
	);
	expect(callsFoot(parts)).toBe(foot);
});
