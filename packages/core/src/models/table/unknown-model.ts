import type { ModelInfo } from "./model-info.ts";

/** For models that nobody described: small enough for most, and an operator can say more. */
export const unknownWindow = 32_768;
export const unknownOutput = 8_192;

/** A model that exists, and of which nothing else is known: what is assumed of it wherever it answers. */
export function unknownModel(id: string, provider: string): ModelInfo {
	return {
		...{ id, provider, contextWindow: unknownWindow, maxOutput: unknownOutput },
		...{ reasoning: "none", sampling: true, images: true },
	};
}
