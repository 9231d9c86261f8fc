import { existsSync } from "node:fs";
import { paced } from "@parley/base/testing";
import type { Command } from "../vocabulary/sandbox.ts";

/** Whether bubblewrap is at its usual path. Tests that need bubblewrap are reported as skipped if it is missing. */
export const hasBubblewrap = existsSync("/usr/bin/bwrap");

export function shellCommand(line: string, cwd: string, fields: Partial<Command> = {}): Command {
	return {
		executable: existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh",
		args: ["-c", line],
		cwd,
		timeoutMs: paced(20_000),
		maxOutputBytes: 64 * 1024,
		signal: new AbortController().signal,
		...fields,
	};
}
