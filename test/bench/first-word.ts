import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackage } from "./measure/installed-package.ts";
import { type Figure, readOptions, report, roundsOf } from "./measure/report.ts";
import { startServer } from "./measure/server-process.ts";
import { type Start, timeToLine } from "./measure/time-to-line.ts";

/**
 * Time from the start of a process to the first text delta of a reply. The bench alternates between `zot rpc` of an
 * installed package and a bare Node process that sends the same request. The CPU time includes all threads of the
 * process. `once` is a process that must check the sandbox, like the first process after a boot.
 */
const options = readOptions(9);
const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "parley-first-word-"));
await using ending = new AsyncDisposableStack();
ending.defer(() => rmSync(directory, { recursive: true, force: true }));
const data = join(directory, "data");
const verdict = join(data, "sandbox-verdict");
mkdirSync(data, { mode: 0o700 });
mkdirSync(join(directory, "work"));
const bench = { id: "bench", provider: "bench", context_window: 200_000, max_output: 8_192 };
writeFileSync(join(data, "models.json"), JSON.stringify({ models: [bench] }));

const home = installPackage(directory);
const model = await startServer("model-server");
ending.defer(() => model.stop());
const url = `http://127.0.0.1:${model.port}`;
const flags = [
	"rpc",
	"--data",
	data,
	"--cwd",
	join(directory, "work"),
	"--base-url",
	url,
	"--model",
	"bench",
];
const prompt = `${JSON.stringify({ id: "1", type: "prompt", message: "words 2" })}\n`;
const rpc = (bin: string): Promise<Start> =>
	timeToLine([bin, ...flags], directory, { input: prompt, mark: '"text_delta"' });
const installed = (): Promise<Start> => rpc(join(home, "bin/zot.mjs"));

// Fills the compile cache. The model server keeps the request, which the floor then repeats.
await installed();
await rpc(path("../../packages/cli/bin/zot.mjs"));
const request = `${await (await fetch(url)).text()}\n`;
const bare = (): Promise<Start> =>
	timeToLine([path("./servers/bare-request.mjs"), url], directory, { input: request, mark: '"text_delta"' });

interface Round {
	readonly ours: Start;
	readonly floor: Start;
	readonly once: Start;
	readonly clone: Start;
}

const rounds: Round[] = [];
for (const round of roundsOf(options, 1)) {
	const first = round % 2 === 0 ? await installed() : await bare();
	const second = round % 2 === 0 ? await bare() : await installed();
	const [ours, floor] = round % 2 === 0 ? [first, second] : [second, first];
	const clone = await rpc(path("../../packages/cli/bin/zot.mjs"));
	rmSync(verdict, { force: true });
	const once = await installed();
	if (round > 0) rounds.push({ ours, floor, once, clone });
}

function times(name: string, side: keyof Round, by: keyof Start): Figure {
	return { name, unit: by === "cpu" ? "ms CPU" : "ms", values: rounds.map((round) => round[side][by]) };
}

function ratio(name: string, side: keyof Round, by: keyof Start): Figure {
	return { name, unit: "×", values: rounds.map((round) => round[side][by] / round.floor[by]) };
}

const cpu = ratio("zot rpc ÷ bare request, by CPU", "ours", "cpu");
const clock = ratio("zot rpc ÷ bare request", "ours", "clock");
const cpuOnce = ratio("first process of a boot ÷ bare request, by CPU", "once", "cpu");
report(
	"first-word",
	[
		times("bare request: start to first word", "floor", "clock"),
		times("bare request, by CPU", "floor", "cpu"),
		times("zot rpc: start to first word", "ours", "clock"),
		times("zot rpc, by CPU", "ours", "cpu"),
		times("zot rpc in a clone, by CPU", "clone", "cpu"),
		times("first process of a boot", "once", "clock"),
		clock,
		cpu,
		cpuOnce,
		ratio("zot rpc in a clone ÷ bare request, by CPU", "clone", "cpu"),
	],
	[
		{ figure: cpu, atMost: 3, target: true },
		{ figure: cpu, atMost: 3.9 },
		{ figure: cpuOnce, atMost: 3.8 },
		{ figure: clock, atMost: 3, ofMachine: true },
	],
	options,
);
