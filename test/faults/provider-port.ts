import { type Clock, type Logger, silentLogger } from "@parley/base";
import { type ApiFamily, builtinModels, createAiSdkModel, type Model, ModelTable } from "@parley/core";
import { chatWire } from "../simulators/providers/chat-wire.ts";
import type { ProviderWire } from "../simulators/providers/wire.ts";

/** A family of providers with the simulator of its API. */
export interface TestedFamily {
	readonly family: ApiFamily;
	readonly wire: ProviderWire;
	readonly model: string;
}

export const testedFamilies: readonly TestedFamily[] = [
	{ family: "compatible", wire: chatWire, model: "acme-1" },
];

const table = new ModelTable([
	...builtinModels,
	{
		id: "acme-1",
		provider: "tested",
		contextWindow: 200_000,
		maxOutput: 64_000,
		reasoning: "adaptive",
		sampling: true,
		images: true,
	},
]);

/** The adapter for a family, connected to a server of the test. */
export function familyAt(
	{ family, model }: TestedFamily,
	baseUrl: string,
	options: { apiKey: string; clock: Clock; log?: Logger },
): Model {
	const named = { provider: "tested", family, baseUrl, defaultModel: model };
	return createAiSdkModel({ log: silentLogger, table, ...named, ...options });
}
