import type { ReplyBlock, WireEvent } from "../anthropic/reply.ts";
import { chatProblems } from "./chat-rules.ts";
import {
	type Counted,
	type Fields,
	type Head,
	type Issued,
	inPieces,
	jsonOf,
	type ProviderReply,
	type ProviderWire,
	stopOf,
} from "./wire.ts";

/**
 * Finish reasons by the stop reason of the Messages API:
 * https://platform.openai.com/docs/api-reference/chat-streaming
 */
const stops: Readonly<Record<string, string>> = {
	end_turn: "stop",
	tool_use: "tool_calls",
	max_tokens: "length",
	refusal: "content_filter",
};

/** Returns the body of an error response: https://platform.openai.com/docs/guides/error-codes */
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

/** Differences between the servers that implement the Chat Completions API. */
export interface ChatDialect {
	readonly base: string;
	/**
	 * Returns the deltas for pieces of reasoning. By default, each delta has one piece in `reasoning_content`.
	 */
	readonly reasoning?: (pieces: readonly string[], id: string, issued: Issued) => object[];
	/** Whether the server sends each call in one delta. */
	readonly completeCalls?: boolean;
	readonly problems?: (body: Fields, issued: Issued) => string[];
	readonly ping?: string;
}

/** The Chat Completions API of OpenAI and many other servers. */
export const chatWire: ProviderWire = chatWireOf({ base: "/v1" });

export function chatWireOf(dialect: ChatDialect): ProviderWire {
	const { base, ping = ": keep alive\n\n", problems = () => [] } = dialect;
	return {
		name: "compatible",
		base,
		form: {
			frame: ({ data }) => `data: ${JSON.stringify(data)}\n\n`,
			isDelta: ({ event }) => event === "delta",
			errorEvent: ({ type, message }) => ({
				event: "error",
				data: { error: { message, type, param: null, code: type } },
			}),
			ping,
			end: "data: [DONE]\n\n",
			errorBody: openAiError,
		},
		modelOf: (url, { model }) =>
			url === `${base}/chat/completions` && typeof model === "string" ? model : undefined,
		keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
		completion: '"finish_reason":"',
		cachedPart: ({ tools, messages }) => ({ tools, messages }),
		problems: (body, issued) => [...chatProblems(body), ...problems(body, issued)],
		events: (reply, head, issued) => events(reply, head, { dialect, issued }),
		usage,
		models: (names) => ({ object: "list", data: names.map((id) => ({ id, object: "model" })) }),
	};
}

function usage({ input, cached, output, reasoning }: Counted): object {
	return {
		prompt_tokens: input,
		completion_tokens: output,
		total_tokens: input + output,
		prompt_tokens_details: { cached_tokens: cached },
		completion_tokens_details: { reasoning_tokens: reasoning },
	};
}

interface Scene {
	readonly dialect: ChatDialect;
	readonly issued: Issued;
}

function events(reply: ProviderReply, { id, model, counted }: Head, scene: Scene): WireEvent[] {
	const base = { id, object: "chat.completion.chunk", created: 1_790_000_000, model: reply.model ?? model };
	const chunk = (event: string, delta: object, reason: string | null = null): WireEvent => ({
		event,
		data: { ...base, choices: [{ index: 0, delta, finish_reason: reason }] },
	});
	const stop = stopOf(reply);
	const report = reply.usage ? reply.usage(counted) : usage(counted);
	return [
		chunk("start", { role: "assistant", content: "" }),
		...deltas(reply, id, scene).map((delta) => chunk("delta", delta)),
		chunk("stop", {}, stop === null ? null : (stops[stop] ?? stop)),
		{ event: "usage", data: { ...base, choices: [], ...(report === undefined ? {} : { usage: report }) } },
	];
}

function deltas({ content, cut = inPieces }: ProviderReply, id: string, scene: Scene): object[] {
	const calls = content.filter(({ type }) => type === "tool_use");
	return content.flatMap((block) => blockDeltas(block, { cut, index: calls.indexOf(block), id }, scene));
}

interface Place {
	readonly cut: (text: string) => readonly string[];
	readonly index: number;
	readonly id: string;
}

function blockDeltas(block: ReplyBlock, { cut, index, id }: Place, { dialect, issued }: Scene): object[] {
	const { reasoning = (pieces) => pieces.map((text) => ({ reasoning_content: text })), completeCalls } =
		dialect;
	switch (block.type) {
		case "text":
			return cut(block.text).map((text) => ({ content: text }));
		case "thinking":
			return reasoning(cut(block.thinking), id, issued);
		case "redacted_thinking":
			return [];
		case "tool_use": {
			const start = { index, id: block.id, type: "function", function: { name: block.name, arguments: "" } };
			const json = jsonOf(block);
			if (completeCalls) {
				return [{ tool_calls: [{ ...start, function: { name: block.name, arguments: json } }] }];
			}
			const pieces = cut(json).map((piece) => ({ index, function: { arguments: piece } }));
			return [start, ...pieces].map((call) => ({ tool_calls: [call] }));
		}
	}
}
