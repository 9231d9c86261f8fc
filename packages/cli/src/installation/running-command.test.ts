import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { canReadCommands, runningCommand } from "./running-command.ts";

test("a command line has the options of Node before the program, and the arguments behind it", async () => {
	const directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-command-")));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const program = join(directory, "parley.mjs");
	writeFileSync(program, 'console.log("runs"); process.stdin.resume();');
	const args = [
		"--max-old-space-size=200",
		"--require",
		"node:fs",
		"parley.mjs",
		"gateway",
		"--log-level",
		"debug",
	];
	const environment = { KEY: "a=b" };
	const child = spawn(process.execPath, args, { cwd: directory, env: environment });
	onTestFinished(() => void child.kill("SIGKILL"));
	await once(child.stdout, "data");
	const found = runningCommand(child.pid ?? 0, program);
	const expected = { options: args.slice(0, 3), args: args.slice(4), directory, environment };
	expect(found).toEqual(canReadCommands ? expected : undefined);
});
