import { parseJson } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { ModelError, noUsage } from "@parley/core";
import { ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says as replies } from "../simulators/anthropic/reply.ts";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const sonnet = "claude-sonnet-5-5";

async function startWithClaude(fake: FakeAnthropic): Promise<TestGateway> {
	const { apiKey, url: baseUrl } = fake;
	// With a `baseUrl` outside the vendor's domain, the model list contains only the operator's models and the active
	// model.
	const models = ["claude-haiku-5-5", "claude-opus-5-5"].map((id) => ({ id }));
	const data = { "models.json": JSON.stringify({ models }) };
	return TestGateway.start({ data, config: { provider: "anthropic", apiKey, baseUrl, model: sonnet } });
}

interface Prices {
	readonly input: number;
	readonly output: number;
	readonly cache_read: number;
	readonly cache_write: number;
}

interface Listed {
	readonly name: string;
	readonly tier?: string;
	readonly prices?: Prices;
}

async function list(client: OzzieClient): Promise<{ default: unknown; models: readonly Listed[] }> {
	const { default: chosen, models } = await client.call("list_models");
	return { default: chosen, models: Array.isArray(models) ? models : [] };
}

verifiesOn(
	"ozzie",
	["model.call", "model.answered"],
	"a model call is reported with the provider's token counts and their cost",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.script(replies("Hello!"));
		await using gateway = await startWithClaude(fake);
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const { run_id } = await client.call("send_message", { content: "hi" });
		const facts = { run_id, model: sonnet, provider: "anthropic", message_count: 1 };
		const none = { tokens_input: 0, tokens_output: 0, tokens_cache_read: 0, tokens_cache_write: 0 };
		const start = await client.event("internal.llm.call");
		expect(start.transient).toBe(true);
		expect(start.payload).toEqual({ phase: "start", ...facts, ...none, cost_usd: 0, duration: 0, error: "" });

		const end = await client.event("internal.llm.call");
		expect(end.transient).toBeUndefined();
		const { usage } = await fake.received(1);
		const [read, written] = [usage?.cache_read_input_tokens ?? 0, usage?.cache_creation_input_tokens ?? 0];
		const tokens = {
			tokens_input: (usage?.input_tokens ?? 0) + read + written,
			...{ tokens_output: usage?.output_tokens, tokens_cache_read: read, tokens_cache_write: written },
		};
		const prices = (await list(client)).models.find(({ name }) => name === sonnet)?.prices;
		if (!usage || !prices) throw new Error("nothing to reckon with");
		const cost =
			usage.input_tokens * prices.input +
			usage.output_tokens * prices.output +
			read * prices.cache_read +
			written * prices.cache_write;
		expect(end.payload).toEqual({
			...{ phase: "end", ...facts, ...tokens, error: "" },
			...{ duration: expect.any(Number), cost_usd: expect.closeTo(cost / 1e6, 9) },
		});
		expect(end.payload["cost_usd"]).not.toBe(0);
		expect(Number.isSafeInteger(end.payload["duration"])).toBe(true);
		const { payload } = await client.event("assistant.message");
		const context = { model: sonnet, usage: tokens };
		expect(payload).toEqual({ content: "Hello!", error: "", context, run_id: end.payload["run_id"] });
	},
);

verifiesOn(
	"ozzie",
	["model.call", "model.answered"],
	"a failed model call is reported, without the key",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.script({ status: 401, body: `{"error":{"message":"bad key ${fake.apiKey}"}}` });
		await using gateway = await startWithClaude(fake);
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", { content: "hi" });
		const end = await client.event("internal.llm.call", { phase: "end" });
		const { payload } = await client.event("assistant.message");
		expect(payload).toMatchObject({ content: "", error: end.payload["error"], context: {} });
		expect(payload["error"]).toMatch(/key/);
		const warnings = gateway.log.records.filter(({ message }) => message === "the provider refused the key");
		expect(warnings).toHaveLength(1);
		const health = await (await fetch(`${gateway.url}/api/health?verbose`)).text();
		expect(parseJson(health)).toMatchObject({ status: "ok", provider: { state: "refused" } });
		expect(await (await fetch(`${gateway.url}/api/health`)).json()).toEqual({ status: "ok" });
		expect(JSON.stringify([end, payload, health, gateway.log.records])).not.toContain(fake.apiKey);
	},
);

function overloaded() {
	return {
		async *[Symbol.asyncIterator]() {
			yield await Promise.reject(new ModelError("the model is overloaded", { fault: "overloaded" }));
		},
	};
}

verifiesOn(
	"ozzie",
	["run.retrying", "model.fallback", "model.answered"],
	"an overloaded model is retried, then the fallback is used",
	async () => {
		const clock = new ManualClock();
		const end = { type: "end", stop: "end_turn", usage: noUsage, model: "second-2026" } as const;
		const failing = Array.from({ length: 4 }, () => overloaded);
		const model = new ScriptedModel(...failing, [says("here I am"), end]);
		await using gateway = await TestGateway.start({ clock, model, config: { fallback: ["second"] } });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const { run_id } = await client.call("send_message", { content: "hi" });
		const received: unknown[] = [];
		for (let tries = 0; tries < 4; tries++) {
			const { payload } = await client.event("run.retrying");
			const { in_ms, ...rest } = payload;
			expect(rest).toMatchObject({ run_id, reason: expect.stringMatching(/^the model is overloaded/) });
			received.push([rest["attempt"], rest["model"], Math.round(Number(in_ms) / 1000 / 1.125)]);
			clock.advance(Number(in_ms));
		}
		expect(received).toEqual([
			[1, "scripted", 1],
			[2, "scripted", 2],
			[3, "scripted", 4],
			[4, "second", 0],
		]);
		const { payload } = await client.event("assistant.message");
		expect(payload).toMatchObject({ content: "here I am", error: "", context: { model: "second-2026" } });
		expect(model.requests.map((request) => request.model)).toEqual([
			...["scripted", "scripted", "scripted", "scripted", "second"],
		]);
	},
);

verifiesOn(
	"ozzie",
	["model.list", "model.set"],
	"the model of a session is chosen by name or tier, and reset",
	async () => {
		await using fake = await FakeAnthropic.start();
		fake.otherwise(replies("well"));
		await using gateway = await startWithClaude(fake);
		await using client = await OzzieClient.connect(gateway.url);
		expect(await client.refusal("set_model", { model: "fast" })).toMatch(/^invalid params/);
		await client.open();
		const { default: chosen, models } = await list(client);
		expect(chosen).toBe(sonnet);
		const fast = models.find(({ tier }) => tier === "fast")?.name;
		expect(models.map(({ tier }) => tier)).toEqual(expect.arrayContaining(["fast", "standard", "max"]));
		expect(models).toHaveLength(3);
		const answeredBy = async (): Promise<unknown> => {
			await client.call("send_message", { content: "go" });
			const { payload } = await client.event("assistant.message");
			return Object(payload["context"]).model;
		};
		expect(await answeredBy()).toBe(sonnet);
		expect(await client.call("set_model", { model: "fast", key: "k" })).toEqual({ model: fast });
		expect(await answeredBy()).toBe(fast);
		expect(await client.call("list_sessions")).toMatchObject({ sessions: [{ model: fast }] });
		expect(await client.call("set_model", { model: "default" })).toEqual({ model: sonnet });
		expect(await answeredBy()).toBe(sonnet);
		expect(fake.requests.map(({ body }) => body.model)).toEqual([sonnet, fast, sonnet]);
	},
);

verifiesOn("ozzie", ["model.unknown"], "an unknown model has no effect", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	expect(await client.refusal("set_model", { model: "ofline" })).toMatch(
		/^invalid params: model: there is no model "ofline"; did you mean offline\?/,
	);
	expect(await client.refusal("set_model", { model: "openai/gpt-x" })).toMatch(
		/there is no model "openai\/gpt-x": the gateway does not use openai; the operator must set OPENAI_API_KEY and/,
	);
	await client.call("send_message", { content: "say: hi" });
	const { payload } = await client.event("assistant.message");
	expect(payload).toMatchObject({ context: { model: "offline" } });
	expect(await client.call("list_models")).toMatchObject({
		...{ default: "offline", models: [{ name: "offline", provider: "offline" }] },
	});
});
