import { realpath } from "node:fs/promises";
import type { Clock, Ids, Logger } from "@parley/base";
import { createSandboxes, type Egress, type Sandboxes } from "@parley/core";
import type { Config } from "./config/load.ts";
import { openProbeListeners } from "./probe-listeners.ts";

interface SandboxParts {
	readonly config: Config;
	readonly clock: Clock;
	readonly ids: Ids;
	readonly log: Logger;
}

/** Looked at once everybody has been told that the gateway listens; whoever needs it earlier waits for it. */
export async function openSandboxes(
	{ config, clock, ids, log }: SandboxParts,
	egress?: Egress,
): Promise<Sandboxes> {
	return createSandboxes({
		...{ mode: config.sandbox ?? "preferred", environment: process.env, clock, ids, log },
		...{ hidden: [await realpath(config.data)], ...(egress && { egress }) },
		steering: [config.systemPromptFile, config.modelsFile, config.policyFile].filter(
			(path) => path !== undefined,
		),
		listen: (file) => openProbeListeners(ids, file),
	});
}
