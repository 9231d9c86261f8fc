/**
 * Plays the first ten minutes of a new user and prints a table of the steps. Exits with 1 if the steps need more than
 * 90 seconds or more than 3 commands.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { node20, pack } from "../packages/packed.ts";
import { FreshMachine } from "./fresh-machine.ts";
import { playFirstTen, report } from "./play.ts";

const stage = mkdtempSync(join(tmpdir(), "parley-first-package-"));
try {
	const node = await node20(stage);
	const [tarball = ""] = await pack(node, stage, "command");
	await using machine = await FreshMachine.create(node, tarball);
	const { rows, isWithin } = report(await playFirstTen(machine, tarball));
	process.stdout.write(`${rows.join("\n")}\n`);
	if (!isWithin) process.exitCode = 1;
} finally {
	rmSync(stage, { recursive: true, force: true });
}
