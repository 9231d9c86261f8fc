import { type Clock, createIds } from "@parley/base";
import { createUnsandboxed } from "../sandbox/commands/unsandboxed.ts";
import type { Sandboxes, SandboxState } from "../vocabulary/sandbox.ts";

const state: SandboxState = { mode: "off", state: "unused", operator: "off", chat: "off", probes: 0 };

/**
 * Runs all commands without a sandbox, including commands of chat sessions. Outside tests, mode `off` confines or
 * refuses commands of chat sessions.
 */
export function noSandboxes(
	clock: Clock,
	environment: Readonly<Record<string, string | undefined>> = process.env,
): Sandboxes {
	const unsandboxed = createUnsandboxed({ environment, clock, ids: createIds() });
	return {
		of: async () => unsandboxed,
		check: async () => state,
		state,
		get marker() {
			return unsandboxed.marker;
		},
		get started() {
			return unsandboxed.started;
		},
		processes: () => unsandboxed.processes(),
	};
}
