import { claudeModels } from "./claude-models.ts";
import type { ModelInfo } from "./model-info.ts";

/** The assistant inside the process: it knows no tokens, but is counted like all others. */
const offline: ModelInfo = {
	id: "offline",
	provider: "offline",
	contextWindow: 200_000,
	maxOutput: 64_000,
	reasoning: "none",
	sampling: false,
	images: false,
	prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
	tier: "standard",
};

/** The models that the program knows by itself. */
export const builtinModels: readonly ModelInfo[] = [...claudeModels, offline];
