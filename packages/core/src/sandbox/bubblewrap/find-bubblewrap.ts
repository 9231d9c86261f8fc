import { ParleyError } from "@parley/base";
import type { Sandbox } from "../../vocabulary/sandbox.ts";
import { findProgram } from "../find-program.ts";
import { howToInstall } from "../how-to-fix.ts";

/** Directories of the system. A command may be able to write to a directory of its own PATH. */
export const SYSTEM_PATH = "/usr/bin:/usr/local/bin:/bin:/run/current-system/sw/bin";
/** Minor version of the first bubblewrap that can clear the environment. */
const OLDEST_MINOR = 5;
const TIMEOUT_MS = 5_000;

export interface FoundBubblewrap {
	readonly program: string;
	readonly version: readonly [major: number, minor: number];
}

/** Error that says why there is no sandbox. `fix` says what to do. */
export class NoSandbox extends ParleyError {
	readonly fix: string | undefined;

	constructor(message: string, { fix, cause }: { readonly fix?: string; readonly cause?: unknown }) {
		super(message, { code: "failed_precondition", cause });
		this.fix = fix;
	}
}

/** Finds bubblewrap. Throws `NoSandbox` if it is missing or too old. */
export async function findBubblewrap(unsandboxed: Sandbox, path = SYSTEM_PATH): Promise<FoundBubblewrap> {
	const program = await findProgram("bwrap", path).catch((cause: unknown) => {
		throw new NoSandbox("bubblewrap is not installed", { fix: howToInstall(), cause });
	});
	const { output } = await unsandboxed.run({
		executable: program,
		args: ["--version"],
		cwd: "/",
		timeoutMs: TIMEOUT_MS,
		maxOutputBytes: 1_024,
		signal: new AbortController().signal,
	});
	const [, major, minor] = /^bubblewrap (\d+)\.(\d+)/.exec(output) ?? [];
	if (major === undefined || minor === undefined) {
		throw new NoSandbox(`${program} does not say that it is bubblewrap`, { fix: howToInstall() });
	}
	const version = [Number(major), Number(minor)] as const;
	if (version[0] === 0 && version[1] < OLDEST_MINOR) {
		const why = `bubblewrap ${major}.${minor} is too old: 0.${OLDEST_MINOR} is the first that will do`;
		throw new NoSandbox(why, { fix: "a later version of bubblewrap" });
	}
	return { program, version };
}
