import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Setup } from "./setup.ts";

const binary = fileURLToPath(new URL("../../packages/cli/bin/parley.mjs", import.meta.url));

/** Runs a command without a terminal. Returns its exit code and output. */
export async function pipe(setup: Setup, args: readonly string[], input = "") {
	const child = spawn(process.execPath, [binary, ...args], { cwd: setup.work, env: setup.environment });
	child.stdin.end(input);
	const [out, error, [code]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, "close"),
	]);
	return { out: setup.normalise(out), error: setup.normalise(error), code };
}
