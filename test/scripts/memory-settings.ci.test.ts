import { expect, test } from "vitest";
import { options } from "../../packages/cli/bin/memory-settings.mjs";
import { runProgram } from "./run-program.ts";

const idle = new URL("../../packages/cli/src/gateway/collect-when-idle.ts", import.meta.url).href;

/** Program that keeps 40 MB of objects, creates garbage, and prints the peak heap size in megabytes. */
const grow = `const { getHeapStatistics } = await import("node:v8");
	const kept = Array.from({ length: 400_000 }, (_, i) => ({ i, text: "x" + i }));
	let most = 0;
	for (let round = 0; round < 200; round++) {
		kept[round] = Array.from({ length: 20_000 }, (_, i) => [i, { i }]);
		if (round > 5) kept[round - 5] = 0;
		most = Math.max(most, getHeapStatistics().total_heap_size);
	}
	console.log(Math.round(most / 1e6));`;

test("the heap of a long-lived process grows by less than it does with the defaults of V8, and is collected", () => {
	const low = `import { useLessMemory } from ${JSON.stringify(idle)};
		const collect = useLessMemory();
		${grow}
		const before = process.memoryUsage().heapUsed;
		await collect();
		if (process.memoryUsage().heapUsed > before) throw new Error("nothing was collected");`;
	expect(runProgram(low, options)).toBeLessThan(120);
	expect(runProgram(grow, options)).toBeGreaterThan(140);
});
