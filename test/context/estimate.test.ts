import type { ModelInfo } from "@parley/core";
import { expect, test } from "vitest";
import { Random } from "../random.ts";
import { says } from "../simulators/anthropic/reply.ts";
import { wordsAndSigns } from "../simulators/anthropic/tokenizer.ts";
import { Talk } from "./talk.ts";
import { chinese, code, mixed, prose } from "./texts.ts";
import { bytePairs, sixths } from "./tokenizers.ts";

const info: ModelInfo = {
	...{ id: "small-1", provider: "anthropic", contextWindow: 18_000, maxOutput: 2_000 },
	...{ reasoning: "none", sampling: true, images: false },
};

const tokenizers = [
	["words and signs", wordsAndSigns],
	["two bytes a token", bytePairs],
	["six characters a token", sixths],
] as const;

const texts = [
	["prose", prose],
	["code", (random: Random, size: number) => code(random, Math.ceil(size / 6))],
	["chinese", (random: Random, size: number) => chinese(random, size)],
	["something of each", mixed],
] as const;

const cases = tokenizers.flatMap(([tokens, tokenizer]) =>
	texts.map(([kind, write]) => ({ name: `${kind}, ${tokens}`, tokenizer, write })),
);

test.for(cases)(
	"after three replies an estimate is at most 10 % off: $name",
	async ({ tokenizer, write }) => {
		const random = new Random(5);
		await using talk = await Talk.open({
			...{ info, tokenizer, systemTemplate: "You help.", counting: { status: 404 } },
		});
		talk.fake.otherwise(() => says(write(random, 60)));
		// About 1,500 tokens with each tokenizer, so that several turns fill the context window.
		const size = Math.ceil((80 * 1_500) / tokenizer(write(random, 80)));
		let replies = 0;
		while (talk.log.all("context.compacted").length === 0) {
			replies = talk.fake.requests.length;
			await talk.say(write(random, size));
		}
		expect(replies).toBeGreaterThanOrEqual(3);
		const estimated = talk.log.all("context.compacted").at(-1)?.tokensAfter ?? 0;
		const counted = talk.fake.requests.at(-1)?.promptTokens ?? 0;
		expect(Math.abs(estimated - counted) / counted).toBeLessThanOrEqual(0.1);
	},
);
