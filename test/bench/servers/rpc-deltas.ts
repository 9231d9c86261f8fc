import { setImmediate } from "node:timers/promises";
import { createIds, Redactor, silentLogger, systemClock } from "@parley/base";
import type { Model, ModelRequest } from "@parley/core";
import { loadConfig, openAgent, serveZot } from "@parley/gateway/rpc";
import { deltasPerTick, deltaText } from "../measure/delta-order.ts";

/** The agent on stdin and stdout, with a model that emits as many deltas as the message requests. */
const model: Model = {
	provider: "bench",
	defaultModel: "bench",
	async *stream(request) {
		const count = orderOf(request);
		for (let sent = 0; sent < count; sent += deltasPerTick) {
			for (let n = 0; n < deltasPerTick; n++) yield { type: "text", text: deltaText };
			await setImmediate();
		}
		const cached = { cacheReadTokens: 0, cacheWriteTokens: 0 };
		yield {
			type: "end",
			stop: "end_turn",
			model: "bench",
			usage: { inputTokens: 1, outputTokens: count, ...cached },
		};
	},
};

function orderOf({ messages }: ModelRequest): number {
	const last = messages.findLast(({ role }) => role === "user")?.content[0];
	return Number(last?.type === "text" ? last.text : 0);
}

const [, , directory = ""] = process.argv;
const common = { clock: systemClock, log: silentLogger };
const started = await openAgent({
	...common,
	flags: {},
	ids: createIds(),
	redactor: new Redactor(),
	currentDirectory: directory,
	model,
	config: loadConfig({ flags: {}, environment: {}, cwd: directory, defaultData: directory }),
});
process.exitCode = await serveZot({
	...common,
	agent: started.agent,
	input: process.stdin,
	output: process.stdout,
	version: "bench",
	token: undefined,
	approvals: false,
	stop: new AbortController().signal,
});
await started.close();
