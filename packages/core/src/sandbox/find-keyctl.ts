import type { Sandbox, SandboxFeatures } from "../vocabulary/sandbox.ts";
import { SYSTEM_PATH } from "./bubblewrap/find-bubblewrap.ts";
import { findProgram } from "./find-program.ts";

const TIMEOUT_MS = 5_000;
const STARTED = "parley-trial";

export interface FoundKeyctl {
	readonly state: SandboxFeatures["keyring"];
	/** Path of keyctl(1), if it gives a program a session keyring here. */
	readonly program?: string;
}

/** Finds keyctl(1) and tries it once: kernels and containers can deny calls about keys, and then no command would start. */
export async function findKeyctl(unsandboxed: Sandbox, path = SYSTEM_PATH): Promise<FoundKeyctl> {
	const program = await findProgram("keyctl", path).catch(() => undefined);
	if (program === undefined) return { state: "not-installed" };
	const { output, code } = await unsandboxed.run({
		executable: program,
		args: ["session", "-", "/bin/sh", "-c", `echo ${STARTED}`],
		cwd: "/",
		timeoutMs: TIMEOUT_MS,
		maxOutputBytes: 4_096,
		signal: new AbortController().signal,
	});
	// keyctl(1) writes the number of the keyring before that.
	const holds = code === 0 && output.endsWith(`${STARTED}\n`);
	return holds ? { state: "own", program } : { state: "denied" };
}
