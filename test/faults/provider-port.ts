import { type Clock, type Logger, silentLogger } from "@parley/base";
import { type ApiFamily, createAiSdkModel, type Model, ModelTable } from "@parley/core";
import { chatWire } from "../simulators/providers/chat-wire.ts";
import { geminiWire } from "../simulators/providers/gemini-wire.ts";
import { responsesWire } from "../simulators/providers/responses-wire.ts";
import type { ProviderWire } from "../simulators/providers/wire.ts";

export interface TestedFamily {
	readonly family: ApiFamily;
	readonly wire: ProviderWire;
	readonly model: string;
}

export const testedFamilies: readonly TestedFamily[] = [
	{ family: "compatible", wire: chatWire, model: "acme-1" },
	{ family: "openai", wire: responsesWire, model: "gpt-6.2-sol" },
	{ family: "google", wire: geminiWire, model: "gemini-4-hydrogen" },
];

export const testedTable = new ModelTable(
	testedFamilies.map(({ model }) => ({
		id: model,
		provider: "tested",
		contextWindow: 200_000,
		maxOutput: 64_000,
		reasoning: "adaptive",
		sampling: true,
		images: true,
	})),
);

export function familyAt(
	{ family, model }: TestedFamily,
	baseUrl: string,
	options: { apiKey: string; clock: Clock; log?: Logger; provider?: string },
): Model {
	const named = { provider: "tested", family, baseUrl, defaultModel: model };
	return createAiSdkModel({ log: silentLogger, table: testedTable, ...named, ...options });
}
