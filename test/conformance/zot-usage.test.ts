import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { type StreamedReply, says, uses } from "../simulators/anthropic/reply.ts";
import { only, ZotClient } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

function counted(reply: StreamedReply, [input, output, read, written]: readonly number[]): StreamedReply {
	const usage = {
		...{ input_tokens: input, output_tokens: output },
		...{ cache_read_input_tokens: read, cache_creation_input_tokens: written },
	};
	return { ...reply, usage: () => usage };
}

verifiesOn(
	"zot",
	["zot.usage", "zot.usage-cumulative"],
	"every model call reports its tokens and its cost, to a billionth of a dollar",
	async () => {
		await using service = await FakeAnthropic.start();
		await using agent = await ZotClient.start({ service });
		service.script(
			counted(uses("toolu_1", "bash", { command: "true" }), [100, 12, 20, 30]),
			counted(says("Done."), [1, 1, 1, 1]),
			counted(says("As before."), [7, 3, 0, 0]),
			counted(says("By another one."), [100, 12, 20, 30]),
		);
		agent.send({ id: "1", type: "prompt", message: "one" });
		await agent.turn();
		agent.send({ type: "clear" }, { id: "2", type: "prompt", message: "two" });
		await agent.turn();
		agent.send(
			{ type: "set_model", model: "claude-opus-4-5" },
			{ id: "3", type: "prompt", message: "three" },
		);
		await agent.turn();
		// Prices in US dollars per million tokens (input, output, cache read, cache write): 3, 15, 0.30 and 3.75, then 5,
		// 25, 0.50 and 6.25.
		const calls = [
			{ input: 100, output: 12, cache_read: 20, cache_write: 30, cost_usd: 0.0005985 },
			{ input: 1, output: 1, cache_read: 1, cache_write: 1, cost_usd: 0.00002205 },
			{ input: 7, output: 3, cache_read: 0, cache_write: 0, cost_usd: 0.000066 },
			{ input: 100, output: 12, cache_read: 20, cache_write: 30, cost_usd: 0.0009975 },
		];
		const sums = [
			calls[0],
			{ input: 101, output: 13, cache_read: 21, cache_write: 31, cost_usd: 0.00062055 },
			{ input: 108, output: 16, cache_read: 21, cache_write: 31, cost_usd: 0.00068655 },
			{ input: 208, output: 28, cache_read: 41, cache_write: 61, cost_usd: 0.00168405 },
		];
		const ids = ["1", "1", "2", "3"];
		expect(only(agent.frames, "usage")).toEqual(
			calls.map((call, at) => ({ type: "usage", ...call, cumulative: sums[at], request_id: ids[at] })),
		);
		expect(await agent.data({ id: "4", type: "get_state" })).toMatchObject({ usage: sums.at(-1) });
	},
);

verifiesOn(
	"zot",
	["zot.usage-table", "zot.models", "zot.flag-model"],
	"a user's own model is listed, answers, and has the price of the user",
	async () => {
		const sizes = { context_window: 200_000, max_output: 8_192 };
		const prices = { input: 1, output: 2, cache_read: 0.1, cache_write: 1.1 };
		const models = [{ id: "house-model", provider: "anthropic", ...sizes, prices }];
		await using service = await FakeAnthropic.start();
		await using agent = await ZotClient.start({ service, flags: ["--model", "house-model"], models });
		service.script(counted(says("Yes."), [10, 1, 1, 1]));
		agent.send({ id: "1", type: "prompt", message: "is it you?" });
		expect(only(await agent.turn(), "usage")).toMatchObject([{ cost_usd: 0.0000132 }]);
		expect(service.requests[0]?.body).toMatchObject({ model: "house-model" });
		expect(await agent.data({ id: "2", type: "get_models" })).toMatchObject({
			models: expect.arrayContaining([
				{ id: "house-model", provider: "anthropic", ...sizes, reasoning: false, usd_per_million: prices },
			]),
		});
	},
);

verifiesOn(
	"zot",
	["zot.usage-zero", "zot.usage-auxiliary", "zot.compact-end", "zot.compact-done", "zot.compact-nothing"],
	"a compaction reports the usage of its summary, also if it is free",
	async () => {
		await using agent = await ZotClient.start();
		agent.send({ id: "c0", type: "compact" });
		const nothing = await agent.turn();
		expect(nothing).toEqual([
			{ type: "response", id: "c0", command: "compact", success: true, data: { started: true } },
			{ type: "error", message: "nothing to compact", request_id: "c0" },
			{ type: "done", request_id: "c0" },
		]);
		agent.send({ id: "1", type: "prompt", message: "say: beans" });
		await agent.turn();
		agent.send({ id: "c1", type: "compact" });
		const done = await agent.turn();
		expect(done.map(({ type }) => type)).toEqual(["response", "usage", "compact_done", "done"]);
		const [usage] = only(done, "usage");
		expect(usage).toMatchObject({ auxiliary: true, cost_usd: 0, cache_read: 0, cache_write: 0 });
		expect(usage?.output).toBeGreaterThan(0);
		expect(only(done, "compact_done")[0]?.summary).toContain("beans");
	},
);

verifiesOn(
	"zot",
	["zot.compact", "zot.compact-model", "zot.compact-fails", "zot.abort-compact"],
	"a summary replaces earlier messages; a failed or aborted compaction has no effect",
	async () => {
		await using service = await FakeAnthropic.start();
		await using agent = await ZotClient.start({ service });
		service.script(says("Green ones."), { status: 403 }, { content: [], break: { at: "head", how: "hang" } });
		agent.send({ id: "1", type: "prompt", message: "which beans?" });
		await agent.turn();
		const before = await agent.data({ id: "2", type: "get_messages" });

		agent.send({ id: "c1", type: "compact" });
		const failed = (await agent.turn()).filter(({ type }) => type !== "response");
		expect(failed.map(({ type }) => type)).toEqual(["error", "done"]);

		agent.send({ id: "c2", type: "compact" });
		await service.received(3);
		expect(await agent.data({ id: "a", type: "abort" })).toBeUndefined();
		const aborted = (await agent.turn()).filter(({ type }) => type !== "response");
		expect(aborted.map(({ type }) => type)).toEqual(["done"]);
		expect(await agent.data({ id: "3", type: "get_messages" })).toEqual(before);

		service.script(says("They spoke of beans."), says("I remember."));
		agent.send({ id: "c3", type: "compact" }, { id: "m", type: "get_messages" });
		const [{ summary } = { summary: "" }] = only(await agent.turn(), "compact_done");
		expect(summary).toContain("They spoke of beans.");
		const { messages } = Object(await agent.data({ id: "4", type: "get_messages" }));
		expect(messages).toEqual([
			{ role: "user", content: [{ type: "text", text: summary }], time: expect.any(String) },
		]);
		agent.send({ id: "5", type: "prompt", message: "do you?" });
		await agent.turn();
		const shown = JSON.stringify(service.requests.at(-1)?.body.messages);
		expect(shown).toContain("They spoke of beans.");
		expect(shown).toContain("do you?");
		expect(shown).not.toContain("Green ones.");
		expect(await agent.data({ id: "6", type: "get_state" })).toMatchObject({ message_count: 3 });
	},
);
