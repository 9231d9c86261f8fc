import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ParleyError, silentLogger } from "@parley/base";
import type { Sandbox } from "../sandbox.ts";
import type { ToolContext } from "../tool.ts";

/** A fresh real directory; disposing removes it with all that is in it. */
export async function createDirectory(
	parent = tmpdir(),
): Promise<{ readonly path: string } & AsyncDisposable> {
	const path = await realpath(await mkdtemp(join(parent, "parley-test-")));
	return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const noSandbox: Sandbox = {
	mode: "off",
	profile: "off",
	environment: {},
	network: undefined,
	run: () => Promise.reject(new ParleyError("no command runs in this test", { code: "unimplemented" })),
};

/** A context for one call below `cwd`, in which nobody answers and no command runs unless told. */
export function createToolContext(cwd: string, told: Partial<ToolContext> = {}): ToolContext {
	return {
		sessionId: "sess_1",
		callId: "call_1",
		roots: [cwd],
		cwd,
		forbidden: [],
		sandbox: noSandbox,
		signal: new AbortController().signal,
		log: silentLogger,
		progress: () => undefined,
		ask: () => Promise.resolve({ outcome: "expired" }),
		share: () =>
			Promise.reject(new ParleyError("nobody takes files in this test", { code: "unimplemented" })),
		...told,
	};
}
