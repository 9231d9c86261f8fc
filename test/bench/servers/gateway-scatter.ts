import type { ModelEvent } from "@parley/core";
import { Chorus } from "../measure/chorus.ts";
import { serveGateway } from "../measure/serve-gateway.ts";

const chorus = new Chorus();
const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const end: ModelEvent = { type: "end", stop: "end_turn", usage, model: "bench" };

await serveGateway({
	model: {
		provider: "bench",
		defaultModel: "bench",
		stream: () => chorus.voice<ModelEvent>((text) => ({ type: "text", text }), end),
	},
});
