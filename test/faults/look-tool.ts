import { setImmediate as tick } from "node:timers/promises";
import type { TestRuntime } from "@parley/core/testing";
import * as z from "zod";

type Tool = NonNullable<Parameters<typeof TestRuntime.open>[0]["tools"]>[number];

const parameters = () => z.strictObject({ at: z.string() });

export function lookTool(): { tool: Tool; looked: string[]; together: () => number } {
	const looked: string[] = [];
	let now = 0;
	let maximum = 0;
	const tool: Tool = {
		name: "look",
		description: "Looks at something.",
		parameters,
		effect: "none",
		plan: () => Promise.resolve({ label: "look", classes: ["read"], preview: "", binding: {}, notes: [] }),
		async run(args) {
			looked.push(parameters().parse(args).at);
			now += 1;
			maximum = Math.max(maximum, now);
			await tick();
			now -= 1;
			return { text: "It is green.", failed: false };
		},
	};
	return { tool, looked, together: () => maximum };
}
