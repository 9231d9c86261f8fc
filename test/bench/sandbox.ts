import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { createSandboxes } from "@parley/core";
import { readOptions, report } from "./measure/report.ts";

/**
 * Extra cost of a command in the sandbox: `true` in a directory with a repository, alternately with and without the
 * sandbox.
 */
const options = readOptions(40);
const directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-bench-")));
const root = join(directory, "root");
for (const name of [".git/hooks", ".github/workflows", "src"])
	mkdirSync(join(root, name), { recursive: true });

const common = { environment: process.env, clock: systemClock, log: silentLogger, hidden: [] };
const confining = createSandboxes({ ...common, mode: "required", ids: createIds() });
const open = createSandboxes({ ...common, mode: "off", ids: createIds() });
const began = performance.now();
const { state, reason, probes } = await confining.check();
const checked = performance.now() - began;

async function timeOf(sandboxes: typeof open): Promise<number> {
	const sandbox = await sandboxes.of({ chat: false, roots: [root] });
	const start = performance.now();
	await sandbox.run({
		executable: "true",
		args: [],
		cwd: root,
		timeoutMs: 10_000,
		maxOutputBytes: 1_024,
		signal: new AbortController().signal,
	});
	return performance.now() - start;
}

if (state !== "ready") {
	console.log(`sandbox: not measured: ${reason}`);
} else {
	const [inside, outside]: [number[], number[]] = [[], []];
	for (let round = 0; round <= options.rounds; round++) {
		const [one, other] = [await timeOf(open), await timeOf(confining)];
		if (round === 0) continue;
		outside.push(one);
		inside.push(other);
	}
	const eachBy = (of: (within: number, without: number) => number): number[] =>
		inside.map((value, index) => of(value, outside[index] ?? Number.NaN));
	const added = { name: "added by bubblewrap", unit: "ms", values: eachBy((one, other) => one - other) };
	const ratio = { name: "in bubblewrap ÷ without", unit: "×", values: eachBy((one, other) => one / other) };
	report(
		"sandbox",
		[
			{ name: "without a sandbox", unit: "ms", values: outside },
			{ name: "in bubblewrap", unit: "ms", values: inside },
			added,
			ratio,
			{ name: `check with ${probes} probes, once at the start`, unit: "ms", values: [checked] },
		],
		[{ figure: ratio, atMost: 6 }],
		options,
	);
}
rmSync(directory, { recursive: true });
