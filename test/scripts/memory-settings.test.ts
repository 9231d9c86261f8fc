import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { options } from "../../packages/cli/bin/memory-settings.mjs";

const settings = new URL("../../packages/cli/bin/memory-settings.mjs", import.meta.url).href;
const idle = new URL("../../packages/cli/src/collect-when-idle.ts", import.meta.url).href;

/** Runs a program with these options of Node, and returns the JSON that it prints. */
function run(program: string, args: readonly string[] = []): unknown {
	const directory = mkdtempSync(join(tmpdir(), "parley-memory-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const file = join(directory, "program.mjs");
	writeFileSync(file, program);
	const { NODE_OPTIONS: _, MALLOC_ARENA_MAX: _arenas, ...env } = process.env;
	const { status, stdout, stderr } = spawnSync(process.execPath, [...args, file], { encoding: "utf8", env });
	expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
	return JSON.parse(stdout);
}

test("options that this Node does not know are left out, and the start goes on", () => {
	const own = {
		options: ["--max-semi-space-size=4", "--option-that-vanished=1"],
		variables: { PARLEY_TEST_VARIABLE: "set" },
	};
	const printed = run(`import { applyMemorySettings } from ${JSON.stringify(settings)};
		applyMemorySettings("gateway", ${JSON.stringify(own)});
		console.log(JSON.stringify([process.execArgv, process.env.PARLEY_TEST_VARIABLE]));`);
	expect(printed).toEqual([["--max-semi-space-size=4"], "set"]);
});

test.each([
	...["start", "gateway", "discord", "slack"].map(
		(command) => [command, ["--max-semi-space-size=4"], "2"] as const,
	),
	...["chat", "rpc", undefined].map((command) => [command, [], null] as const),
])(
	"of the command %s the process lives long and gets the settings, or ends soon and gets none",
	(command, args, arenas) => {
		const printed = run(`import { applyMemorySettings } from ${JSON.stringify(settings)};
		applyMemorySettings(${JSON.stringify(command)});
		console.log(JSON.stringify([process.execArgv, process.env.MALLOC_ARENA_MAX ?? null]));`);
		expect(printed).toEqual([args, arenas]);
	},
);

test("a start without execve goes on with the settings that it can apply", () => {
	const printed = run(`import { applyMemorySettings } from ${JSON.stringify(settings)};
		process.execve = undefined;
		applyMemorySettings("gateway");
		console.log(JSON.stringify(process.execArgv));`);
	expect(printed).toEqual([]);
});

test("with the options of a start, Node uses the compiled code of its own modules", () => {
	// The tag is part of compiled code, and another tag makes V8 refuse it: https://nodejs.org/api/v8.html#v8cacheddataversiontag
	const tag = `import { cachedDataVersionTag } from "node:v8"; console.log(cachedDataVersionTag());`;
	expect(run(tag, options)).toBe(run(tag));
	expect(run(tag, ["--expose-gc"])).not.toBe(run(tag));
});

/** Keeps 40 MB of objects and makes garbage, and prints the megabytes that the heap had at most. */
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
	expect(run(low, options)).toBeLessThan(120);
	expect(run(grow, options)).toBeGreaterThan(140);
});
