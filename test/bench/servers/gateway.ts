import { setImmediate } from "node:timers/promises";
import type { Model, ModelRequest } from "@parley/core";
import { serveGateway } from "../measure/serve-gateway.ts";

/**
 * Model that reads `TICKS EACH SIZE` from the last message, and emits `EACH` deltas of `SIZE` characters in every
 * tick of the event loop.
 */
const burstModel: Model = {
	provider: "bench",
	defaultModel: "bench",
	async *stream(request) {
		const { ticks, each, text } = readOrder(request);
		for (let tick = 0; tick < ticks; tick++) {
			for (let event = 0; event < each; event++) yield { type: "text", text };
			await setImmediate();
		}
		const cached = { cacheReadTokens: 0, cacheWriteTokens: 0 };
		const usage = { inputTokens: 1, outputTokens: ticks * each, ...cached };
		yield { type: "end", stop: "end_turn", usage, model: "bench" };
	},
};

function readOrder(request: ModelRequest): { ticks: number; each: number; text: string } {
	const last = request.messages.findLast((message) => message.role === "user")?.content[0];
	const [ticks = "1", each = "1", size = "1"] = (last?.type === "text" ? last.text : "").split(" ");
	return { ticks: Number(ticks), each: Number(each), text: "x".repeat(Number(size)) };
}

const [, , directory] = process.argv;
await serveGateway({ model: burstModel, directory });
