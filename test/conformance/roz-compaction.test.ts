import type { Model, ModelEvent, ModelRequest } from "@parley/core";
import { expect } from "vitest";
import { RozStream } from "./drivers/roz-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

/** Token budget for the instructions, the tools and a few turns. */
const budget = 20_000;
const maxTurns = 40;
const long = "beans ".repeat(700);
const look = { name: "look", description: "Looks", category: "TOOL_CATEGORY_PURE" };

function tokensOf(value: unknown): number {
	return Math.ceil(JSON.stringify(value).length / 4);
}

/** Creates a model that counts four characters as a token. A request without tools is a request for a summary. */
function createModel(requests: ModelRequest[], reply: (request: ModelRequest) => ModelEvent[]): Model {
	return {
		...{ provider: "listener", defaultModel: "listener" },
		async *stream(request) {
			requests.push(request);
			const { system, messages, tools } = request;
			const isSummary = tools.length === 0;
			const events = isSummary ? [textEvent("They spoke of beans.")] : reply(request);
			yield* events;
			const stop = events.some(({ type }) => type === "call") ? "tool_use" : "end_turn";
			const inputTokens = tokensOf({ system, messages, tools });
			const usage = { inputTokens, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0 };
			yield { type: "end", stop, usage, model: "listener" };
		},
	};
}

function textEvent(text: string): ModelEvent {
	return { type: "text", text };
}

function think(): ModelEvent[] {
	return [{ type: "thinking", text: long }, textEvent("I see.")];
}

function lookOnce({ messages }: ModelRequest): ModelEvent[] {
	if (messages.at(-1)?.role === "tool") return [textEvent("I see.")];
	return [{ type: "call", id: `c${messages.length}`, name: "look", arguments: {} }];
}

const levels = [
	{ level: "summary", content: long, reply: () => [textEvent("I see.")] },
	{ level: "thinking", content: "go on", reply: think },
	{ level: "tool_results", content: "go on", reply: lookOnce },
] as const;

type Level = (typeof levels)[number];

/**
 * Sends messages until the first ContextCompacted event, and returns this event. Returns undefined after `turns`
 * messages without such an event.
 */
async function play(
	stream: RozStream,
	{ level, content }: Pick<Level, "level" | "content">,
	turns = maxTurns,
): Promise<Readonly<Record<string, unknown>> | undefined> {
	for (let turn = 1; turn <= turns; turn++) {
		const before = stream.frames.length;
		stream.say(`turn ${turn}: ${content}`);
		if (level === "tool_results") {
			const { toolCallId } = await stream.until("toolRequest");
			stream.send({ toolResult: { toolCallId, success: true, result: long } });
		}
		await stream.until("turnComplete");
		stream.send({ ping: {} });
		await stream.until("pong");
		const kinds = stream.frames.slice(before).map(({ kind }) => kind);
		const at = kinds.indexOf("contextCompacted");
		if (at === -1) continue;
		expect(kinds.indexOf("turnComplete")).toBeLessThan(at);
		return stream.frames[before + at]?.value;
	}
	return undefined;
}

for (const one of levels) {
	verifiesOn(
		"roz",
		["roz.compacted"],
		`a conversation above max_context_tokens is shortened (${one.level}), and the client is notified after the turn`,
		async () => {
			const requests: ModelRequest[] = [];
			await using gateway = await TestGateway.start({ model: createModel(requests, one.reply) });
			await using stream = new RozStream(gateway.url);
			await stream.start({ tools: [look], maxContextTokens: budget });
			const compacted = await play(stream, one);
			expect(compacted).toMatchObject({ level: one.level });
			const { messagesBefore, messagesAfter, tokensBefore, tokensAfter, summary } = compacted ?? {};
			expect(Number(tokensAfter)).toBeLessThan(Number(tokensBefore));
			for (const request of requests) {
				const { system, messages, tools } = request;
				expect(tokensOf({ system, messages, tools })).toBeLessThanOrEqual(budget);
			}
			const newest = requests.at(-1)?.messages ?? [];
			expect(messagesAfter).toBe(newest.length);
			const size = (kind: string): number =>
				newest.filter(({ content }) => JSON.stringify(content).includes(kind)).length;
			if (one.level === "summary") {
				expect(Number(messagesBefore)).toBeGreaterThan(Number(messagesAfter));
				expect(summary).toContain("They spoke of beans.");
				expect(JSON.stringify(newest[0])).toContain("They spoke of beans.");
			} else {
				expect(messagesBefore).toBe(messagesAfter);
				expect(summary).toBeUndefined();
				const turns = newest.filter(({ role }) => role === "user").length;
				expect(size(long)).toBeGreaterThan(0);
				expect(size(long)).toBeLessThan(turns - 1);
			}
		},
	);
}

verifiesOn(
	"roz",
	["roz.compacted"],
	"without max_context_tokens the window of the model decides",
	async () => {
		const requests: ModelRequest[] = [];
		const [{ reply, ...summary }] = levels;
		const row = { id: "listener", provider: "listener", context_window: 10 * budget, max_output: 1_000 };
		const data = { "models.json": JSON.stringify({ models: [row] }) };
		await using gateway = await TestGateway.start({ model: createModel(requests, reply), data });
		await using stream = new RozStream(gateway.url);
		await stream.start();
		const turns = Math.ceil(budget / tokensOf(long));
		expect(await play(stream, summary, turns)).toBeUndefined();
		const newest = requests.at(-1);
		expect(tokensOf(newest?.messages)).toBeGreaterThan(budget);
		expect(newest?.messages).toHaveLength(2 * turns - 1);
	},
);
