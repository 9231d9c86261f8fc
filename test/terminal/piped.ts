import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Place } from "./place.ts";

const binary = fileURLToPath(new URL("../../packages/cli/bin/parley.mjs", import.meta.url));

/** Runs the command with pipes instead of a terminal. */
export async function pipe(place: Place, args: readonly string[], input = "") {
	const child = spawn(process.execPath, [binary, ...args], { cwd: place.work, env: place.environment });
	child.stdin.end(input);
	const [out, error, [code]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, "close"),
	]);
	return { out: place.normalise(out), error: place.normalise(error), code };
}
