import { serveGateway } from "../measure/serve-gateway.ts";

/** The gateway for people of Discord, with a model that replies 200 characters in one piece. */
const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

await serveGateway({
	settings: {
		chat: { people: { allow: [{ platform: "discord", as: "member" }] }, tenants: { discord: ["200"] } },
	},
	model: {
		provider: "bench",
		defaultModel: "bench",
		async *stream() {
			yield { type: "text", text: "It is done. ".repeat(17).trim() };
			yield { type: "end", stop: "end_turn", usage, model: "bench" };
		},
	},
});
