import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createIds, Redactor, silentLogger, systemClock } from "@parley/base";
import type { Model, ModelRequest } from "@parley/core";
import { loadConfig, startGateway } from "@parley/gateway";
import { answerParent } from "../measure/answer-parent.ts";

/** Says `{ticks, each, text}` of the last message: `each` deltas of `text` in every tick of the event loop. */
const burstModel: Model = {
	provider: "bench",
	defaultModel: "bench",
	async *stream(request) {
		const { ticks, each, text } = readOrder(request);
		for (let tick = 0; tick < ticks; tick++) {
			for (let event = 0; event < each; event++) yield { type: "text", text };
			await setImmediate();
		}
		const usage = { inputTokens: 1, outputTokens: ticks * each };
		yield { type: "end", stop: "end_turn", usage, model: "bench" };
	},
};

function readOrder(request: ModelRequest): { ticks: number; each: number; text: string } {
	const last = request.messages.findLast((message) => message.role === "user")?.content[0];
	const [ticks = "1", each = "1", size = "1"] = (last?.type === "text" ? last.text : "").split(" ");
	return { ticks: Number(ticks), each: Number(each), text: "x".repeat(Number(size)) };
}

const data = mkdtempSync(join(tmpdir(), "parley-bench-"));
const gateway = await startGateway({
	config: loadConfig({
		flags: { listen: ["127.0.0.1:0"], data: join(data, "data"), root: [data] },
		environment: {},
		cwd: data,
		defaultData: join(data, "data"),
	}),
	clock: systemClock,
	ids: createIds(),
	log: silentLogger,
	redactor: new Redactor(),
	version: "bench",
	currentDirectory: data,
	model: burstModel,
});
answerParent(Number(new URL(gateway.urls[0] ?? "").port), async () => {
	await gateway.stop(0);
	rmSync(data, { recursive: true });
});
