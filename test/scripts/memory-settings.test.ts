import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const settings = new URL("../../packages/cli/bin/memory-settings.mjs", import.meta.url).href;

/** Runs a program that applies these settings of a long-lived command, the own ones by default, and then prints JSON. */
function run(own: object | undefined, then: string): { readonly printed: unknown; readonly error: string } {
	const directory = mkdtempSync(join(tmpdir(), "parley-memory-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const file = join(directory, "program.mjs");
	const values = own === undefined ? "" : `, ${JSON.stringify(own)}`;
	const apply = `applyMemorySettings("gateway"${values});`;
	writeFileSync(
		file,
		`import { applyMemorySettings } from ${JSON.stringify(settings)};\n${apply}\n${then}\n`,
	);
	const { NODE_OPTIONS: _, ...env } = process.env;
	const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8", env });
	expect({ status, stderr }).toMatchObject({ status: 0 });
	return { printed: JSON.parse(stdout), error: stderr };
}

test("options that this Node does not know are left out, and the start goes on", () => {
	const own = {
		options: ["--max-semi-space-size=4", "--option-that-vanished=1"],
		heapOption: "--heap-option-that-vanished=1",
		variables: { PARLEY_TEST_VARIABLE: "set" },
	};
	const { printed, error } = run(
		own,
		"console.log(JSON.stringify([process.execArgv, process.env.PARLEY_TEST_VARIABLE]));",
	);
	expect(printed).toEqual([["--max-semi-space-size=4"], "set"]);
	expect(error).toContain("unrecognized flag --heap-option-that-vanished=1");
});

test("a start without execve goes on with the settings that it can apply", () => {
	const program = "console.log(JSON.stringify(process.execArgv));";
	const withoutExecve = `process.execve = undefined; applyMemorySettings("gateway"); ${program}`;
	const { printed, error } = run(
		{ options: [], heapOption: "--stack-trace-limit=10", variables: {} },
		withoutExecve,
	);
	expect({ printed, error }).toEqual({ printed: [], error: "" });
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

test("the heap grows by less than it does with the defaults of V8", () => {
	const { printed: low } = run(undefined, grow);
	const { printed: usual } = run({ options: [], heapOption: "--stack-trace-limit=10", variables: {} }, grow);
	expect(low).toBeLessThan(120);
	expect(usual).toBeGreaterThan(140);
});
