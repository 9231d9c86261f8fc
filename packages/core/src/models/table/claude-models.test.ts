import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { claudeModels } from "./builtin-models.ts";

const sdk = createRequire(import.meta.url).resolve("@anthropic-ai/sdk/resources/messages/messages.js");
const declared =
	/^export type Model = (.*);$/m.exec(readFileSync(sdk.replace(/js$/, "d.ts"), "utf8"))?.[1] ?? "";
const listed = [...declared.matchAll(/'([^']+)'/g)].map(([, name]) => name);
const retiring = /^const DEPRECATED_MODELS = \{(.*?)\};/ms.exec(readFileSync(sdk, "utf8"))?.[1] ?? "";
const deprecated = [...retiring.matchAll(/'(claude-[^']+)':/g)].map(([, name]) => name);

test("every model that the SDK lists is in the table, in its order", () => {
	expect(listed.length).toBeGreaterThan(20);
	expect(claudeModels.map(({ id }) => id)).toEqual(listed);
});

test("a tier is the newest model of its family that the SDK does not retire", () => {
	expect(deprecated).toContain("claude-sonnet-4-5");
	const newest = (family: string) => claudeModels.find(({ id }) => id.startsWith(`claude-${family}-`))?.id;
	const tiers = claudeModels.flatMap(({ id, tier }) => (tier ? [[tier, id]] : []));
	expect(Object.fromEntries(tiers)).toEqual({
		fast: newest("haiku"),
		standard: newest("sonnet"),
		max: newest("opus"),
	});
	for (const [, id] of tiers) expect(deprecated).not.toContain(id);
});

test("a dated name is the same model as the name without a date", () => {
	const dated = claudeModels.filter(({ id }) => /-\d{8}$/.test(id));
	expect(dated).toHaveLength(3);
	for (const { id, ...facts } of dated) {
		const undated = id.replace(/-\d{8}$/, "");
		expect(claudeModels.find((model) => model.id === undated)).toEqual({ id: undated, ...facts });
	}
});

test("the facts about each model are consistent", () => {
	for (const { id, contextWindow, maxOutput, prices, longPrompt } of claudeModels) {
		expect(maxOutput, id).toBeLessThan(contextWindow);
		for (const price of [prices, longPrompt?.prices]) {
			if (!price) continue;
			expect([price.cacheRead, price.input, price.cacheWrite, price.cacheHour, price.output], id).toEqual(
				Object.values(price).sort((a, b) => a - b),
			);
		}
	}
	expect(claudeModels.filter(({ prices }) => !prices).map(({ id }) => id)).toEqual(["claude-mythos-preview"]);
});
