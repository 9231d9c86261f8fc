import type { Model } from "@parley/core";
import { Chorus } from "../measure/chorus.ts";
import { serveGateway } from "../measure/serve-gateway.ts";

/** The gateway with a model each of whose replies is one voice of a chorus. */
const chorus = new Chorus();
const model: Model = {
	provider: "bench",
	defaultModel: "bench",
	async *stream() {
		for await (const text of chorus.voice()) yield { type: "text", text };
		const cached = { cacheReadTokens: 0, cacheWriteTokens: 0 };
		yield {
			type: "end",
			stop: "end_turn",
			usage: { inputTokens: 1, outputTokens: 1, ...cached },
			model: "bench",
		};
	},
};

await serveGateway({ model });
