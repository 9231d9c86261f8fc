import { expect, test } from "vitest";
import { providerModels } from "./provider-models.ts";

test("the facts about each model are consistent", () => {
	for (const { id, contextWindow, maxOutput, prices, longPrompt } of providerModels) {
		expect(maxOutput, id).toBeLessThan(contextWindow);
		for (const price of [prices, longPrompt?.prices]) {
			if (!price) continue;
			const { input, output, cacheRead, cacheWrite } = price;
			expect([cacheRead, input, cacheWrite, output], id).toEqual(
				[cacheRead, input, cacheWrite, output].sort((a, b) => a - b),
			);
		}
	}
	expect(new Set(providerModels.map(({ id, provider }) => `${provider}/${id}`)).size).toBe(
		providerModels.length,
	);
});

test("each provider has one model of each tier at most, and a standard one", () => {
	for (const [provider, models] of Map.groupBy(providerModels, (model) => model.provider)) {
		const tiers = models.flatMap(({ tier }) => (tier ? [tier] : []));
		expect(new Set(tiers).size, provider).toBe(tiers.length);
		expect(tiers, provider).toContain("standard");
	}
});
