import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, defined, type Ids, type Logger } from "@parley/base";
import { createSandboxes, type Egress, type Sandboxes } from "@parley/core";
import type { Config } from "../config/load.ts";
import { openEgress } from "../open-egress.ts";
import { openProbeListeners } from "./probe-listeners.ts";

/**
 * Name of the file with the result of the sandbox check. Sandboxed commands cannot see the directory of the file, and
 * tools cannot change the file.
 */
export const VERDICT_FILE = "sandbox-verdict";

interface SandboxParts {
	readonly config: Config;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
	/** Version of the gateway. If it is absent, the probes always run, and their result is not stored. */
	readonly version?: string;
}

/** Opens the sandboxes. The check begins when the gateway listens, or earlier if a command needs the sandbox. */
export async function openSandboxes(
	{ config, clock, ids, log, version }: SandboxParts,
	egress: Egress = openEgress({ config, clock, log }),
): Promise<Sandboxes> {
	const data = await realpath(config.data);
	return createSandboxes({
		mode: config.sandbox ?? "preferred",
		environment: process.env,
		clock,
		ids,
		log,
		hidden: [data],
		egress,
		unixSockets: config.commandUnixSockets ?? false,
		steering: [config.systemPromptFile, config.modelsFile, config.policyFile].filter(
			(path) => path !== undefined,
		),
		...defined({
			verdict: version === undefined ? undefined : { file: join(data, VERDICT_FILE), build: version },
		}),
		listen: (file) => openProbeListeners(ids, file),
	});
}
