import { setTimeout as pause } from "node:timers/promises";
import { serveGateway } from "../measure/serve-gateway.ts";

/**
 * The gateway for users of Discord and Slack, with a model that replies with about 200 characters in one delta. With an
 * argument N, the model streams a reply of N words, ten per second. The first word contains the time at which it is
 * sent.
 */
const words = Number(process.argv[2] ?? 0);
const wordMs = 100;
const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

async function* reply() {
	if (words === 0) yield { type: "text", text: "It is done. ".repeat(17).trim() } as const;
	for (let word = 0; word < words; word++) {
		yield { type: "text", text: word === 0 ? `at:${Date.now()}` : " word" } as const;
		await pause(wordMs);
	}
}

await serveGateway({
	settings: {
		// Makes the work comparable with the plain bot, which reads no earlier messages and answers each message
		// immediately.
		chat: {
			people: { allow: ["discord", "slack"].map((platform) => ({ platform, as: "member" })) },
			tenants: { discord: ["200"], slack: ["T1"] },
			joinSeconds: 0,
			welcome: { posts: false },
			channels: Object.fromEntries(
				["discord:200:", "slack:T1:C", "slack:T1:D"].flatMap((place) =>
					Array.from({ length: 64 }, (_, index) => [`${place}${1_000 + index}`, { context: 0 }]),
				),
			),
		},
	},
	model: {
		provider: "bench",
		defaultModel: "bench",
		async *stream() {
			yield* reply();
			yield { type: "end", stop: "end_turn", usage, model: "bench" };
		},
	},
});
