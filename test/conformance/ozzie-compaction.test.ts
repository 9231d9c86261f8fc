import type { Model, ModelRequest } from "@parley/core";
import { expect } from "vitest";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const window = 20_000;

function tokensOf(value: unknown): number {
	return Math.ceil(JSON.stringify(value).length / 4);
}

/** Creates a model that counts four characters as a token. A request without tools is a request for a summary. */
function createListener(requests: ModelRequest[], refusesSummaries = false): Model {
	return {
		provider: "listener",
		defaultModel: "listener",
		async *stream(request) {
			requests.push(request);
			const refuses = refusesSummaries && request.tools.length === 0;
			if (!refuses)
				yield { type: "text", text: request.tools.length > 0 ? "I see." : "They spoke of beans." };
			const { system, messages, tools } = request;
			const inputTokens = tokensOf({ system, messages, tools });
			const usage = { inputTokens, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
			yield { type: "end", stop: refuses ? "refusal" : "end_turn", usage, model: "listener" };
		},
	};
}

verifiesOn("ozzie", ["model.compacted"], "a conversation outgrows the window, and continues", async () => {
	const requests: ModelRequest[] = [];
	const row = { id: "listener", provider: "listener", context_window: window, max_output: 1_000 };
	const data = { "models.json": JSON.stringify({ models: [row] }) };
	await using gateway = await TestGateway.start({ model: createListener(requests), data });
	await using client = await OzzieClient.connect(gateway.url);
	await client.open();
	const compacted: object[] = [];
	for (let turn = 1; turn <= 20; turn++) {
		const { run_id } = await client.call("send_message", {
			content: `turn ${turn}: ${"beans ".repeat(800)}`,
		});
		for (;;) {
			const { event, payload, transient } = await client.event();
			if (event === "context.compacted") {
				expect(transient).toBeUndefined();
				expect(payload).toMatchObject({
					run_id,
					level: expect.stringMatching(/^(?:tool_results|thinking|summary)$/),
				});
				expect(Number(payload["tokens_after"])).toBeLessThan(Number(payload["tokens_before"]));
				compacted.push(payload);
			}
			if (event !== "assistant.message") continue;
			expect(payload).toMatchObject({ content: "I see.", error: "" });
			break;
		}
	}
	expect(compacted.length).toBeGreaterThan(0);
	for (const { system, messages, tools } of requests) {
		expect(tokensOf({ system, messages, tools })).toBeLessThanOrEqual(window);
	}
	expect(JSON.stringify(requests.at(-1)?.messages)).toContain("turn 1: ");
});

verifiesOn(
	"ozzie",
	["model.compacted-without-summary"],
	"a conversation continues if the model refuses",
	async () => {
		const requests: ModelRequest[] = [];
		const row = { id: "listener", provider: "listener", context_window: window, max_output: 1_000 };
		const data = { "models.json": JSON.stringify({ models: [row] }) };
		await using gateway = await TestGateway.start({ model: createListener(requests, true), data });
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		let compacted: Readonly<Record<string, unknown>> | undefined;
		for (let turn = 1; compacted === undefined; turn++) {
			await client.call("send_message", { content: `turn ${turn}: ${"beans ".repeat(800)}` });
			for (;;) {
				const { event, payload } = await client.event();
				if (event === "context.compacted" && payload["level"] === "summary") compacted = payload;
				if (event !== "assistant.message") continue;
				expect(payload).toMatchObject({ content: "I see.", error: "" });
				break;
			}
		}
		expect(compacted).toMatchObject({ error: expect.stringContaining("the model refused") });
		expect(requests.filter(({ tools }) => tools.length === 0)).toHaveLength(2);
	},
);

verifiesOn(
	"ozzie",
	["session.compact"],
	"a client compacts an idle session, and reads the end as an event",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		const session_id = await client.open();
		await client.call("send_message", { content: "say: beans" });
		await client.event("assistant.message");
		expect(await client.call("compact_session", { session_id })).toEqual({ status: "started" });
		const { payload } = await client.event("compaction.ended");
		expect(payload).toMatchObject({ status: "compacted", error: "" });
		await client.call("compact_session", { session_id });
		expect((await client.event("compaction.ended")).payload).toMatchObject({ status: "unchanged" });
		await client.call("send_message", { content: "ask: Which bed?" });
		await client.event("prompt.request");
		expect(await client.refusal("compact_session", { session_id })).toMatch(/^session busy: /);
		await client.call("cancel_turn");
		expect((await client.event("assistant.message")).payload).toMatchObject({ error: "cancelled" });
	},
);
