import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { only, streamed, ZotClient } from "../conformance/drivers/zot-client.ts";
import { chatWire } from "../simulators/providers/chat-wire.ts";
import { FakeProvider } from "../simulators/providers/fake-provider.ts";

function baseOf({ url }: FakeProvider): string {
	// zot clients specify the URL without the API version.
	return url.replace(/\/v1$/, "");
}

test.for(["openai", "kimi"])(
	"--provider %s calls the Chat Completions API of --base-url, with tools",
	async (provider) => {
		await using service = await FakeProvider.start(chatWire);
		service.script(
			{
				content: [
					{ type: "thinking", thinking: "I should look." },
					{ type: "tool_use", id: "call_1", name: "write", input: { path: "note.txt", content: "green" } },
				],
			},
			{ content: [{ type: "text", text: "It is green." }] },
		);
		const flags = ["--provider", provider, "--model", "gpt-own", "--base-url", baseOf(service)];
		await using agent = await ZotClient.start({ flags: [...flags, "--api-key", service.apiKey] });
		expect(await agent.data({ id: "0", type: "get_state" })).toMatchObject({ provider, model: "gpt-own" });
		agent.send({ id: "1", type: "prompt", message: "write it down" });
		const frames = await agent.turn();
		expect(streamed(frames)).toBe("It is green.");
		expect(only(frames, "tool_call")).toMatchObject([{ name: "write" }]);
		expect(only(frames, "usage")).toMatchObject([
			{ input: expect.any(Number) },
			{ cumulative: { cost_usd: 0 } },
		]);
		expect(service.requests).toHaveLength(2);
		expect(service.requests[0]?.url).toBe("/v1/chat/completions");
		expect(await agent.end()).toEqual({ code: 0, signal: null });
	},
);

test("an unknown model of a provider can be chosen, and the key is that of the provider's variable", async () => {
	await using service = await FakeProvider.start(chatWire, { models: ["one", "two"] });
	service.otherwise({ content: [{ type: "text", text: "Yes." }] });
	const environment = { KIMI_API_KEY: service.apiKey, ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
	const flags = ["--provider", "kimi", "--model", "one", "--base-url", baseOf(service)];
	await using agent = await ZotClient.start({ flags, environment });
	expect(await agent.data({ id: "0", type: "set_model", model: "two" })).toEqual({ model: "two" });
	expect(await agent.ask({ id: "1", type: "set_model", model: "three" })).toMatchObject({ success: false });
	agent.send({ id: "2", type: "prompt", message: "are you there?" });
	expect(streamed(await agent.turn())).toBe("Yes.");
	expect(service.requests[0]?.body["model"]).toBe("two");
	expect(await agent.end()).toEqual({ code: 0, signal: null });
});

test("one process uses several providers, and each gets only its own key and its own names", async () => {
	await using one = await FakeProvider.start(chatWire, { models: ["m"], apiKey: "one-key-0123456789abcdef" });
	await using two = await FakeProvider.start(chatWire, { apiKey: "two-key-0123456789abcdef" });
	one.otherwise({ content: [{ type: "text", text: "I am one." }] });
	two.otherwise({ content: [{ type: "text", text: "I am two." }] });
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-zot-providers-"));
	const config = join(directory.path, "parley.json");
	const providers = { one: { baseUrl: one.url, key: "ONE_KEY" }, two: { baseUrl: two.url, key: "TWO_KEY" } };
	await writeFile(config, JSON.stringify({ models: { providers } }));
	const environment = { ONE_KEY: one.apiKey, TWO_KEY: two.apiKey };
	const flags = ["--provider", "one", "--model", "m", "--config", config];
	await using agent = await ZotClient.start({ flags, environment });
	for (const [model, answer] of [
		["m", "I am one."],
		["two/n", "I am two."],
	] as const) {
		expect(await agent.data({ id: model, type: "set_model", model })).toEqual({ model });
		agent.send({ id: answer, type: "prompt", message: "who are you?" });
		expect(streamed(await agent.turn())).toBe(answer);
	}
	expect([one, two].map(({ requests }) => requests.map(({ body }) => body["model"]))).toEqual([["m"], ["n"]]);
	expect(await agent.end()).toEqual({ code: 0, signal: null });
});
