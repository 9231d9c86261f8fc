import type { ReplyBlock, WireEvent } from "../anthropic/reply.ts";
import { chatProblems } from "./chat-rules.ts";
import {
	type Counted,
	type Head,
	inPieces,
	jsonOf,
	type ProviderReply,
	type ProviderWire,
	stopOf,
} from "./wire.ts";

/** https://platform.openai.com/docs/api-reference/chat-streaming */
const stops: Readonly<Record<string, string>> = {
	end_turn: "stop",
	tool_use: "tool_calls",
	max_tokens: "length",
	refusal: "content_filter",
};

/** Error of the service: https://platform.openai.com/docs/guides/error-codes */
export function openAiError(status: number, message: string): string {
	const type =
		status === 401
			? "authentication_error"
			: status >= 500
				? "server_error"
				: status === 429
					? "rate_limit_error"
					: "invalid_request_error";
	return JSON.stringify({ error: { message, type, param: null, code: null } });
}

/** The Chat Completions API, as OpenAI and many other servers have it. */
export const chatWire: ProviderWire = {
	name: "compatible",
	base: "/v1",
	form: {
		frame: ({ data }) => `data: ${JSON.stringify(data)}\n\n`,
		isDelta: ({ event }) => event === "delta",
		errorEvent: ({ type, message }) => ({
			event: "error",
			data: { error: { message, type, param: null, code: type } },
		}),
		ping: ": keep alive\n\n",
		end: "data: [DONE]\n\n",
		errorBody: openAiError,
	},
	modelOf: (url, { model }) =>
		url === "/v1/chat/completions" && typeof model === "string" ? model : undefined,
	keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
	completion: '"finish_reason":"',
	cachedPart: ({ tools, messages }) => ({ tools, messages }),
	problems: chatProblems,
	events,
	usage,
	models: (names) => ({ object: "list", data: names.map((id) => ({ id, object: "model" })) }),
};

function usage({ input, cached, output, reasoning }: Counted): object {
	return {
		prompt_tokens: input,
		completion_tokens: output,
		total_tokens: input + output,
		prompt_tokens_details: { cached_tokens: cached },
		completion_tokens_details: { reasoning_tokens: reasoning },
	};
}

function events(reply: ProviderReply, { id, model, counted }: Head): WireEvent[] {
	const base = { id, object: "chat.completion.chunk", created: 1_790_000_000, model: reply.model ?? model };
	const chunk = (event: string, delta: object, reason: string | null = null): WireEvent => ({
		event,
		data: { ...base, choices: [{ index: 0, delta, finish_reason: reason }] },
	});
	const stop = stopOf(reply);
	const report = reply.usage ? reply.usage(counted) : usage(counted);
	return [
		chunk("start", { role: "assistant", content: "" }),
		...deltas(reply).map((delta) => chunk("delta", delta)),
		chunk("stop", {}, stop === null ? null : (stops[stop] ?? stop)),
		{ event: "usage", data: { ...base, choices: [], ...(report === undefined ? {} : { usage: report }) } },
	];
}

function deltas({ content, cut = inPieces }: ProviderReply): object[] {
	const calls = content.filter(({ type }) => type === "tool_use");
	return content.flatMap((block) => blockDeltas(block, cut, calls.indexOf(block)));
}

function blockDeltas(block: ReplyBlock, cut: (text: string) => readonly string[], index: number): object[] {
	switch (block.type) {
		case "text":
			return cut(block.text).map((text) => ({ content: text }));
		case "thinking":
			return cut(block.thinking).map((text) => ({ reasoning_content: text }));
		case "redacted_thinking":
			return [];
		case "tool_use": {
			const start = { index, id: block.id, type: "function", function: { name: block.name, arguments: "" } };
			const pieces = cut(jsonOf(block)).map((json) => ({ index, function: { arguments: json } }));
			return [start, ...pieces].map((call) => ({ tool_calls: [call] }));
		}
	}
}
