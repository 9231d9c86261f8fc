import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions, report } from "./measure/report.ts";

/**
 * From spawning the real binary on an existing data directory to its ready line, against a process that only imports
 * the same modules, alternately.
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

/** Milliseconds until the process has written its first line on stdout. */
async function timeToLine(args: readonly string[]): Promise<number> {
	const began = performance.now();
	const child = spawn(process.execPath, args, { cwd: directory, stdio: ["ignore", "pipe", "inherit"] });
	const exited = once(child, "exit");
	await once(child.stdout, "data");
	const taken = performance.now() - began;
	child.kill("SIGTERM");
	await exited;
	return taken;
}

const ready: number[] = [];
const imported: number[] = [];
// The first round creates the data directory and fills the disk cache; it is not counted.
for (let round = 0; round <= options.rounds; round++) {
	const gateway = await timeToLine([binary, ...gatewayArguments]);
	const bare = await timeToLine([imports]);
	if (round === 0) continue;
	ready.push(gateway);
	imported.push(bare);
}
rmSync(directory, { recursive: true });

const ratio = {
	name: "ready ÷ bare import",
	unit: "×",
	values: ready.map((value, index) => value / (imported[index] ?? Number.NaN)),
};
report(
	"boot",
	[
		{ name: "gateway: spawn to ready line", unit: "ms", values: ready },
		{ name: "bare import of the same modules", unit: "ms", values: imported },
		ratio,
	],
	[{ figure: ratio, atMost: 1.5 }],
	options,
);
