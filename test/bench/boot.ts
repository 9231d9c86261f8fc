import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions, report } from "./measure/report.ts";
import { type Start, timeToLine } from "./measure/time-to-line.ts";

/**
 * Compares two alternating process starts. One is the real binary, up to its ready line, on an existing data
 * directory. The other is a process that only imports the same modules.
 */
const options = readOptions(9);
const binary = fileURLToPath(new URL("../../packages/cli/bin/parley.mjs", import.meta.url));
const imports = fileURLToPath(new URL("./servers/imports.ts", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "parley-boot-"));
const gatewayArguments = [
	"gateway",
	"--listen",
	"127.0.0.1:0",
	"--data",
	join(directory, "data"),
	"--log-level",
	"error",
];

const rounds: { readonly ready: Start; readonly imported: Start }[] = [];
// The first round creates the data directory and fills the disk cache. It is not measured.
for (let round = 0; round <= options.rounds; round++) {
	const ready = await timeToLine([binary, ...gatewayArguments], directory);
	const imported = await timeToLine([imports], directory);
	if (round > 0) rounds.push({ ready, imported });
}
rmSync(directory, { recursive: true });

const ratioBy = (quantity: keyof Start): number[] =>
	rounds.map(({ ready, imported }) => ready[quantity] / imported[quantity]);
const ratio = { name: "ready ÷ bare import", unit: "×", values: ratioBy("clock") };
const cpu = { name: "ready ÷ bare import, by CPU", unit: "×", values: ratioBy("cpu") };
report(
	"boot",
	[
		{
			name: "gateway: spawn to ready line",
			unit: "ms",
			values: rounds.map(({ ready }) => ready.clock),
		},
		{
			name: "bare import of the same modules",
			unit: "ms",
			values: rounds.map(({ imported }) => imported.clock),
		},
		{ name: "gateway, by CPU", unit: "ms", values: rounds.map(({ ready }) => ready.cpu) },
		ratio,
		cpu,
	],
	[
		{ figure: cpu, atMost: 1.5 },
		{ figure: ratio, atMost: 1.5, ofMachine: true },
	],
	options,
);
