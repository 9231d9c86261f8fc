import type { Clock, Logger } from "@parley/base";
import { silentLogger } from "@parley/base";
import { builtinModels, createAnthropicModel, type Model, ModelTable } from "@parley/core";

export const requestedModel = "claude-sonnet-5-5";
export const fallback = "claude-haiku-5-5";

export const table = new ModelTable(builtinModels);

export function anthropicAt(baseUrl: string, options: { apiKey: string; clock: Clock; log?: Logger }): Model {
	return createAnthropicModel({
		baseUrl,
		log: silentLogger,
		table,
		defaultModel: requestedModel,
		...options,
	});
}
